// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/distribution.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include <array>

namespace sotto::aggregator {
namespace {

constexpr std::array parts = {0.05, 0.25, 0.5, 0.75, 0.95};

number_bin bin_at(const binned_numbers &t, std::uint32_t bin) {
    return {static_cast<std::int32_t>(t.begin_of(bin)),
            static_cast<std::int32_t>(t.begin_of(bin + 1) - 1)};
}

} // namespace

std::vector<distribution_row> estimate_distribution(const metric &m, const metric_tally &tally) {
    const binned_numbers &t = *mechanism_of(m).bins(m);
    const distribution_fit fit = mechanism_of(m).fit(m, tally, parts);
    std::uint64_t reports = 0;
    for (const level_tally &level : tally) {
        reports += level.reports;
    }
    const auto n = static_cast<double>(reports);
    std::vector<distribution_row> rows;
    const auto add = [&](const row_value &value, double estimate, double error) {
        distribution_row &row = rows.emplace_back();
        row.value = value;
        row.result = {estimate, error, reports};
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        add(quantile{parts[i]}, t.number_at(fit.quantiles[i]), t.unit() * fit.quantile_errors[i]);
    }
    for (std::uint32_t x = 0; x < t.bins; ++x) {
        add(bin_at(t, x), n * fit.shares[x], n * fit.share_errors[x]);
    }
    return rows;
}

} // namespace sotto::aggregator
