// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_GATEWAY_HPP
#define SOTTO_AGGREGATOR_SIMULATE_GATEWAY_HPP

#include "aggregator/simulate/exact_share.hpp"
#include "aggregator/simulate/spoil.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::aggregator {

// A batch that is complete, and what is to be wrong with its envelope.
struct packed_batch {
    std::string bytes;
    std::optional<reason> fault;
};

// A simulated fleet's reports where things go wrong: some are spoilt, some come twice. All are
// packed anew, up to 32 in a batch, whichever device they are from. A report that is spoilt with
// its batch or envelope has one of its own, so that one rejection is one report.
class gateway {
  public:
    struct shares {
        std::uint32_t malformed = 0, duplicated = 0; // in millionths
    };
    // `known` must outlive it. Faults of sealed envelopes are among those made when `sealed`.
    gateway(const registry &known, shares wanted, bool sealed, std::size_t padding_bytes,
            std::uint64_t seed);

    // The envelopes of a file, plain and sound, all of one epoch.
    void take(std::string_view envelopes);
    // After the last: what waits to come again.
    void finish();
    // Batches that are complete by now, in order.
    std::vector<packed_batch> packed() { return std::exchange(packed_, {}); }

    // By the reason for which ingest will refuse them.
    const rejections &spoilt_reports() const noexcept { return spoilt_; }
    std::uint64_t duplicates() const noexcept { return duplicates_; }

  private:
    // A report beside the bytes of its value.
    struct kept_report {
        explicit kept_report(const report_view &report);
        kept_report(const kept_report &) = delete;
        kept_report &operator=(const kept_report &) = delete;
        report_view view;
        std::vector<std::uint8_t> bytes;
    };

    void take_report(const report_view &report);
    void spoil(const report_view &report);
    void add(const report_view &report);
    void close();

    const registry &registry_;
    value_layouts layouts_;
    std::size_t padding_bytes_;
    batch_reader reader_;
    exact_share malformed_, duplicated_;
    std::vector<reason> faults_;
    std::size_t next_fault_ = 0;
    std::deque<kept_report> again_; // reports that come a second time, later
    std::uint32_t epoch_ = 0;
    std::deque<kept_report> batch_; // the batch that is being filled
    std::size_t batch_bytes_ = 0;   // the values' alone
    std::vector<packed_batch> packed_;
    rejections spoilt_;
    std::uint64_t duplicates_ = 0;
};

} // namespace sotto::aggregator
#endif
