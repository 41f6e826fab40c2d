// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/quality.hpp"

#include "aggregator/estimate/metric_channel.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

constexpr double limit = 7.5;

// What permanent bits that are reported again add to the variance of n reports.
double repeated_variance(double n, const level_law &law, const bit_channel &channel,
                         double of_a_value) {
    const double flip = law.permanent_flip;
    const double gain = (channel.one_if_one - channel.one_if_zero) / (1 - 2 * flip);
    return n * (of_a_value - 1) * gain * gain * flip * (1 - flip);
}

bool one_of_all(const metric &m) {
    return m.type == SOTTO_TYPE_CATEGORY && m.kind() == value_kind::bits;
}

class checker {
  public:
    checker(const metric &m, double of_a_value) : metric_(m), of_a_value_(of_a_value) {}

    void add(const level_tally &at, std::size_t level) {
        const bit_channel channel = *metric_channel(metric_, level);
        const level_law &law = metric_.law(level);
        const std::size_t cohorts = std::max<std::size_t>(1, at.cohorts.size());
        const std::size_t size = at.ones.size() / cohorts;
        // Of a boolean how often it is true says it all.
        for (std::size_t i = metric_.type == SOTTO_TYPE_BOOLEAN ? 1 : 0; i < at.ones.size(); ++i) {
            const auto n =
                static_cast<double>(at.cohorts.empty() ? at.reports : at.cohorts[i / size]);
            const double more = repeated_variance(n, law, channel, of_a_value_);
            const auto deviation = [&](double p) { return std::sqrt(n * p * (1 - p) + more); };
            const auto ones = static_cast<double>(at.ones[i]);
            const double zero = channel.one_if_zero, one = channel.one_if_one;
            ++out.counts;
            out.impossible +=
                ones > n * one + limit * deviation(one) || ones < n * zero - limit * deviation(zero)
                    ? 1
                    : 0;
            sum_ += ones;
            expected_ += n * zero;
            variance_ += n * zero * (1 - zero) + more;
        }
        // Of every release one bit is true.
        const auto n = static_cast<double>(at.reports);
        expected_ += n * (channel.one_if_one - channel.one_if_zero);
        variance_ += n * (channel.one_if_one * (1 - channel.one_if_one) -
                          channel.one_if_zero * (1 - channel.one_if_zero));
    }

    quality finish() {
        if (one_of_all(metric_) && variance_ > 0) {
            out.sum_error = (sum_ - expected_) / std::sqrt(variance_);
        }
        return out;
    }

  private:
    const metric &metric_;
    double of_a_value_;
    quality out;
    double sum_ = 0, expected_ = 0, variance_ = 0;
};

// The most and the least that one release adds, apart.
double reach(const metric &m, std::size_t level) {
    const level_law &law = m.law(level);
    if (const auto *laplace = std::get_if<discrete_laplace_table>(&m.table)) {
        return static_cast<double>(laplace->publish_max) - laplace->publish_min +
               2 * discrete_laplace_end(law.unit_epsilon);
    }
    if (const auto *mean = std::get_if<one_bit_mean_table>(&m.table)) {
        return std::ldexp(1, 32) / mean->scale / (1 - 2 * law.flip);
    }
    const bit_channel channel = *metric_channel(m, level);
    return 1 / (channel.one_if_one - channel.one_if_zero);
}

} // namespace

quality check_quality(const metric &m, const metric_tally &tally, double of_a_value) {
    checker out(m, of_a_value);
    for (std::size_t level = 0; level < tally.size(); ++level) {
        if (tally[level].reports > 0 && metric_channel(m, level)) {
            out.add(tally[level], level);
        }
    }
    return out.finish();
}

double coalition_shift(const metric &m, const metric_tally &tally, std::uint64_t coalition) {
    double most = 0, reports = 0;
    for (std::size_t level = 0; level < tally.size(); ++level) {
        if (tally[level].reports > 0) {
            most = std::max(most, reach(m, level));
            reports += static_cast<double>(tally[level].reports);
        }
    }
    const double moved = most * static_cast<double>(coalition);
    return metric_channel(m, 0) || reports == 0 ? moved : moved / reports;
}

double coalition_shift(const selective_estimate &found, std::uint64_t coalition) {
    return 2 * (found.most - found.least) * static_cast<double>(coalition);
}

} // namespace sotto::aggregator
