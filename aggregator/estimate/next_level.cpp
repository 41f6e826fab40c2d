// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/next_level.hpp"

#include "aggregator/estimate/bloom.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/statistics/rappor.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sotto::aggregator {
namespace {

double string_error(const metric &m, std::size_t level, const estimated &found, double share,
                    std::size_t candidates, double of_a_value) {
    const bloom_shape &t = *mechanism_of(m).strings(m);
    const level_law &law = m.law(level);
    const auto n = static_cast<double>(found.reports);
    return n * expected_share_error(
                   *mechanism_of(m).channel(m, law), shape_of(t), n, share,
                   static_cast<double>(candidates),
                   repeated_variance(1, of_a_value, mechanism_of(m).permanent_flip(m, law)));
}

// The error of all levels together, none below `least`.
double error_from(const metric &m, const metric_tally &tally, std::size_t least,
                  const estimated &found, std::size_t candidates, double of_a_value) {
    const auto total = static_cast<double>(found.reports);
    const bool counted = !m.range();
    std::vector<double> reports(tally.size());
    for (std::size_t i = 0; i < tally.size(); ++i) {
        reports[std::max(i, least)] += static_cast<double>(tally[i].reports);
    }
    double variance = 0; // a share's or a mean's
    for (std::size_t level = 0; level < reports.size(); ++level) {
        const double n = reports[level];
        if (n == 0) {
            continue;
        }
        estimated here = found;
        here.reports = static_cast<std::uint64_t>(n);
        here.value = counted ? found.value * n / total : found.value;
        const double share = std::clamp(found.value / total, 0.0, 1.0);
        const double error =
            (has_strings(m) ? string_error(m, level, here, share, candidates, of_a_value)
                            : std::hypot(*std_error_at(m, level, here),
                                         std::sqrt(repeated_variance(
                                             n, of_a_value,
                                             mechanism_of(m).permanent_flip(m, m.law(level)))))) /
            (counted ? n : 1);
        variance += std::pow(error * n / total, 2);
    }
    return std::sqrt(variance) * (counted ? total : 1);
}

} // namespace

std::optional<std::size_t> next_level(const metric_tally &tally) {
    const auto most = std::max_element(tally.begin(), tally.end(),
                                       [](auto &a, auto &b) { return a.reports < b.reports; });
    const auto next =
        std::min(tally.size() - 1, static_cast<std::size_t>(most - tally.begin()) + 1);
    const bool any_below =
        std::any_of(tally.begin(), tally.begin() + static_cast<std::ptrdiff_t>(next),
                    [](auto &at) { return at.reports > 0; });
    return any_below ? std::optional(next) : std::nullopt;
}

double std_error_if_relaxed(const metric &m, const metric_tally &tally, std::size_t level,
                            const estimated &found, std::size_t candidates, double of_a_value) {
    const double then = error_from(m, tally, level, found, candidates, of_a_value);
    return has_strings(m)
               ? found.std_error * then / error_from(m, tally, 0, found, candidates, of_a_value)
               : then;
}

std::optional<double> std_error_at(const metric &m, std::size_t level, const estimated &found) {
    if (has_strings(m)) {
        return std::nullopt;
    }
    return mechanism_of(m).error(m, m.law(level), found);
}

} // namespace sotto::aggregator
