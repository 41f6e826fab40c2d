// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_HOST_PARTITIONED_ROWS_HPP
#define SOTTO_AGGREGATOR_HOST_PARTITIONED_ROWS_HPP

#include "aggregator/host/admitted.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/report/reason.hpp"
#include "aggregator/tally/share.hpp"

#include <map>

namespace sotto::aggregator {

// Counts of report files that were read. Duplicates are known to nobody here.
struct read_counts {
    std::uint64_t envelopes = 0, reports = 0; // reports: admitted
    rejections rejected;
};

// Reads report files into rows, apart by the partition of their release. For one thread.
class partitioned_rows {
  public:
    // `with` must outlive it. Errors: usage_error when `parts` is 0 or more than 65,536.
    partitioned_rows(const admitted &with, std::uint32_t parts);

    // All of one report file.
    void add(std::string_view file, read_counts &counts);
    std::size_t memory_bytes() const { return row_bytes_; }
    // Takes the rows of a partition out, in the order they came. Each metric that has some has its
    // fingerprint 4, how many 8, and the rows. Empty where there are none.
    std::string take(std::uint32_t part);

  private:
    struct target {
        report_rules rules;
        std::size_t place; // the metric's, in `with`
    };
    struct source {
        value_layouts layouts;
        std::vector<std::optional<target>> targets; // by metric id
    };

    void add_envelope(std::string_view bytes, read_counts &counts);
    void add_batch(std::string_view bytes, const source &from, read_counts &counts);

    const admitted &with_;
    std::uint32_t parts_;
    std::map<std::uint32_t, source> sources_; // by fingerprint of the registry
    std::optional<opener> opener_;
    batch_reader reader_;
    std::vector<std::string> rows_; // by partition and metric
    std::size_t row_bytes_ = 0;
};

// The share of one partition: `taken` is what any number of those gave out of it. Errors:
// usage_error when rows are not of this partition, or damaged.
tally_share count_taken(const admitted &with, const partition &part,
                        const std::vector<std::string_view> &taken);

} // namespace sotto::aggregator
#endif
