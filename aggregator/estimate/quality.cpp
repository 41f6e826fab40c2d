// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/quality.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

bool one_of_all(const metric &m) {
    return m.type == SOTTO_TYPE_CATEGORY && m.kind() == value_kind::bits;
}

} // namespace

quality check_quality(const metric &m, const metric_tally &tally, double of_a_value) {
    quality_sums sums;
    for (std::size_t level = 0; level < tally.size(); ++level) {
        if (tally[level].reports > 0) {
            mechanism_of(m).check(m, m.law(level), tally[level], of_a_value, sums);
        }
    }
    quality out = {sums.counts, sums.impossible, std::nullopt};
    if (one_of_all(m) && sums.variance > 0) {
        out.sum_error = (sums.ones - sums.expected) / std::sqrt(sums.variance);
    }
    return out;
}

double coalition_shift(const metric &m, const metric_tally &tally, std::uint64_t coalition) {
    double most = 0, reports = 0;
    for (std::size_t level = 0; level < tally.size(); ++level) {
        if (tally[level].reports > 0) {
            most = std::max(most, mechanism_of(m).reach(m, m.law(level)));
            reports += static_cast<double>(tally[level].reports);
        }
    }
    const double moved = most * static_cast<double>(coalition);
    return !m.range() || reports == 0 ? moved : moved / reports;
}

double coalition_shift(const selective_estimate &found, std::uint64_t coalition) {
    return 2 * (found.most - found.least) * static_cast<double>(coalition);
}

} // namespace sotto::aggregator
