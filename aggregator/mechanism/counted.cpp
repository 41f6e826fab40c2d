// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/counted.hpp"

#include "aggregator/statistics/rappor.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

double even_share(const metric &m) {
    return m.type == SOTTO_TYPE_CATEGORY ? 1 / static_cast<double>(m.value_size()) : 0.5;
}

} // namespace

std::vector<level_count> counts_at(std::span<const level_tally> levels, std::size_t at) {
    std::vector<level_count> counts;
    for (const level_tally &level : levels) {
        counts.push_back({level.reports, level.ones[at]});
    }
    return counts;
}

bool is_beyond(double ones, double reports, const bit_channel &by, double more) {
    constexpr double limit = 7.5;
    const auto deviation = [&](double p) { return std::sqrt(reports * p * (1 - p) + more); };
    return ones > reports * by.one_if_one + limit * deviation(by.one_if_one) ||
           ones < reports * by.one_if_zero - limit * deviation(by.one_if_zero);
}

estimated counted_mechanism::estimate(const metric &m, std::span<const level_tally> levels,
                                      std::span<const level_law> laws, std::size_t at) const {
    std::vector<bit_channel> channels;
    for (const level_law &law : laws) {
        channels.push_back(*channel(m, law));
    }
    std::vector<level_count> counts;
    for (const level_tally &level : levels) {
        counts.push_back({level.reports, count(m, level.ones, at)});
    }
    return estimate_bit_channel(counts, channels);
}

double counted_mechanism::error(const metric &m, const level_law &law,
                                const estimated &found) const {
    const auto n = static_cast<double>(found.reports);
    return std::sqrt(bit_channel_variance(n, std::clamp(found.value, 0.0, n), *channel(m, law)));
}

double counted_mechanism::usual_variance(const metric &m, const level_law &law,
                                         const reports_again &again) const {
    const double share = even_share(m);
    return bit_channel_variance(1, share, *channel(m, law)) +
           repeated_variance(1, again.of_a_value, permanent_flip_of(law)) +
           again.of_a_device * share * (1 - share);
}

double counted_mechanism::spread(const metric &, double mean, const reports_again &again) const {
    return again.of_a_device * mean * (1 - mean);
}

double counted_mechanism::reach(const metric &m, const level_law &law) const {
    const bit_channel by = *channel(m, law);
    return 1 / (by.one_if_one - by.one_if_zero);
}

void counted_mechanism::check(const metric &m, const level_law &law, const level_tally &at,
                              double of_a_value, quality_sums &sums) const {
    const bit_channel by = answer_channel(m, *channel(m, law));
    const double gain = by.one_if_one - by.one_if_zero, zero = by.one_if_zero;
    const std::size_t size = at.ones.size() / std::max<std::size_t>(1, at.cohorts.size());
    // A boolean needs one count: how often it is true.
    for (std::size_t i = m.type == SOTTO_TYPE_BOOLEAN ? 1 : 0; i < at.ones.size(); ++i) {
        const auto n = static_cast<double>(at.cohorts.empty() ? at.reports : at.cohorts[i / size]);
        const double more = gain * gain * repeated_variance(n, of_a_value, permanent_flip_of(law));
        const auto ones = static_cast<double>(at.ones[i]);
        sums.count(is_beyond(ones, n, by, more));
        sums.ones += ones;
        sums.expected += n * zero;
        sums.variance += n * zero * (1 - zero) + more;
    }
    // Every release has one true bit.
    const auto n = static_cast<double>(at.reports);
    sums.expected += n * gain;
    sums.variance += n * (by.one_if_one * (1 - by.one_if_one) - zero * (1 - zero));
}

} // namespace sotto::aggregator
