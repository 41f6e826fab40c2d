// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_ADMITTED_BATCHES_HPP
#define SOTTO_AGGREGATOR_STORE_ADMITTED_BATCHES_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/decode.hpp"
#include "aggregator/seal/open.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A report and its metric; both live as long as the call.
struct admitted_report {
    const metric *subject;
    const report *content;
};

// Reads report files for what a store does not keep: a batch at a time, with the reports in it that
// the registry admits.
class admitted_batches {
  public:
    using receiver = std::function<void(const std::vector<admitted_report> &batch)>;

    // Both must outlive it; without keys what is sealed is rejected.
    admitted_batches(const registry &with, const keyring *keys, receiver use);

    // Errors: those of envelope_file.
    void read(const std::string &path);

    const rejections &rejected() const { return rejected_; }

  private:
    void add(std::string_view bytes);
    std::variant<std::string_view, reason> in_the_clear(const envelope &e);

    const registry &with_;
    value_layouts layouts_;
    std::optional<opener> opener_;
    receiver use_;
    rejections rejected_;
    std::vector<admitted_report> admitted_; // one batch's, kept to be used again
};

} // namespace sotto::aggregator
#endif
