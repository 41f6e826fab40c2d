// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SEAL_OPEN_HPP
#define SOTTO_AGGREGATOR_SEAL_OPEN_HPP

#include "aggregator/report/decode.hpp"
#include "aggregator/seal/key.hpp"

#include <memory>

namespace sotto::aggregator {

// The aggregator's private keys. Immutable; safe to share by threads.
class keyring {
  public:
    // Errors: usage_error, when two have one id.
    explicit keyring(const std::vector<private_key> &keys);
    keyring(keyring &&) noexcept;
    ~keyring();

  private:
    friend class opener;
    struct entry;
    std::vector<entry> entries_; // ascending by id
};

// Opens sealed envelopes, HPKE as sdk/proto/WIRE.md says. The result depends on the envelope and
// the keys alone. It keeps contexts that are expensive to make, so each thread needs its own.
class opener {
  public:
    // The keyring must outlive it.
    explicit opener(const keyring &keys);
    opener(opener &&) noexcept;
    ~opener();

    // The batch, valid until the next call, or why there is none: unknown_key, retired_key,
    // not_opened.
    std::variant<std::string_view, reason> open(const envelope &sealed);

  private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace sotto::aggregator
#endif
