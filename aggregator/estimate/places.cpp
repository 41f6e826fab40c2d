// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/places.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "aggregator/statistics/joined_rows.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace sotto::aggregator {
namespace {

estimated known_to(double value, double variance, std::uint64_t reports) {
    estimated out;
    out.value = value;
    out.std_error = std::sqrt(std::max(0.0, variance));
    out.reports = reports;
    return out;
}

} // namespace

std::vector<place_count> estimate_places(const metric &m, const level_tally &tally,
                                         std::span<const place_range> ranges) {
    const sums_over_places &shape = *mechanism_of(m).over_places(m);
    const joined_rows joined(shape.matrix());
    if (!joined.is_determined()) {
        throw usage_error(fmt::format("metric {}: its rows don't tell its bins apart; only "
                                      "sotto-registry makes registries",
                                      in_quotes(m.name)));
    }
    std::vector<double> sums;
    for (const number_count &row : tally.numbers) {
        sums.push_back(static_cast<double>(row.sum));
    }
    const std::vector<double> bins = joined.cells(sums);
    const auto n = static_cast<double>(tally.reports);
    const double noise = n * discrete_laplace_variance(unit_epsilon_of(m.law(0)));
    std::vector<place_count> out;
    const auto add = [&](row_value value, std::uint32_t first, std::uint32_t last) {
        const double count = std::accumulate(bins.begin() + first, bins.begin() + last + 1, 0.0);
        const double variance = noise * joined.variance(first, last);
        out.push_back({std::move(value), known_to(count / n, variance / (n * n), tally.reports),
                       known_to(count, variance, tally.reports)});
    };
    for (const auto &[first, last] : ranges) {
        if (last < shape.places) {
            add(fmt::format("{}:{}", first, last), first, last);
        }
    }
    for (std::uint32_t bin = 0; ranges.empty() && bin < shape.places; ++bin) {
        add(bin, bin, bin);
    }
    return out;
}

} // namespace sotto::aggregator
