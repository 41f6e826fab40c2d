// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_REPORT_PAIRS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_REPORT_PAIRS_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/reason.hpp"
#include "aggregator/seal/open.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace sotto::aggregator {

// One report, its value as it is stored (aggregator/store/row.hpp).
struct stored_report {
    std::uint32_t level = 0, cohort = 0;
    std::vector<std::uint8_t> value;
    bool is_contradicted = false; // by another report of this release and level

    auto content() const { return std::tie(cohort, value); }
};

// Reports of one device and epoch.
struct paired_reports {
    stored_report first, second;
};

// Pairs of one epoch, and the releases that made none.
struct pairs_read {
    std::vector<paired_reports> pairs;
    std::uint32_t epoch = 0;
    std::uint64_t alone = 0;        // releases of either metric without one of the other
    std::uint64_t contradicted = 0; // releases among the pairs: the least value counts
    rejections rejected;
};

// Without an epoch, all pairs must be of the same one.
struct pair_options {
    std::optional<std::uint32_t> epoch;
    const keyring *keys = nullptr; // for what is sealed
};

// Releases of two metrics that came in one envelope, and so from one device, at their highest
// levels. A store forgets envelopes, so the report files are read themselves, and nothing is kept.
// All are of one epoch: repeated permanent noise would make pairs of several epochs dependent.
// Errors: usage_error where there is no pair; it names the epochs that have any, and the rejects. A
// usage_error for pairs of several epochs and no `epoch`. Errors of envelope_file.
pairs_read read_pairs(const std::vector<std::string> &files, const registry &with,
                      const metric &first, const metric &second, const pair_options &options);

} // namespace sotto::aggregator
#endif
