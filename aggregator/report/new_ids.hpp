// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_NEW_IDS_HPP
#define SOTTO_AGGREGATOR_REPORT_NEW_IDS_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct evp_cipher_ctx_st;

namespace sotto::aggregator {

// The ids of a batch's new releases, from its seed (WIRE.md). Used by one thread.
class new_ids {
  public:
    new_ids();

    // The first `count` ids, each as eight bytes; they stay until the next call.
    std::span<const std::uint8_t> of_seed(std::span<const std::uint8_t, 8> seed, std::size_t count);

  private:
    struct free_context {
        void operator()(evp_cipher_ctx_st *context) const;
    };
    std::unique_ptr<evp_cipher_ctx_st, free_context> context_;
    std::vector<std::uint8_t> zeros_, ids_;
};

} // namespace sotto::aggregator
#endif
