// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/quality.hpp"

#include "aggregator/estimate/metric_channel.hpp"
#include "aggregator/estimate/rappor.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

constexpr double limit = 7.5;

bool one_of_all(const metric &m) {
    return m.type == SOTTO_TYPE_CATEGORY && m.kind() == value_kind::bits;
}

class checker {
  public:
    checker(const metric &m, double of_a_value) : metric_(m), of_a_value_(of_a_value) {}

    void add(const level_tally &at, std::size_t level) {
        if (const auto *laplace = std::get_if<discrete_laplace_table>(&metric_.table)) {
            for (const number_count &numbers : at.numbers) {
                add_number(numbers, *laplace, metric_.law(level).unit_epsilon);
            }
        } else if (const auto *mean = std::get_if<one_bit_mean_table>(&metric_.table)) {
            // A bit is one most often for the largest value, which is rounded down a little.
            const double flip = metric_.law(level).flip;
            const double top =
                std::ldexp(static_cast<double>(mean->max) - mean->min, -32) * mean->scale;
            add_count(static_cast<double>(at.ones[1]), static_cast<double>(at.reports),
                      {flip, flip + (1 - 2 * flip) * top}, 0);
        } else {
            add_bits(at, level);
        }
    }

    quality finish() {
        if (one_of_all(metric_) && variance_ > 0) {
            out.sum_error = (sum_ - expected_) / std::sqrt(variance_);
        }
        return out;
    }

  private:
    void add_bits(const level_tally &at, std::size_t level) {
        const bit_channel channel = *metric_channel(metric_, level);
        const level_law &law = metric_.law(level);
        const double gain = channel.one_if_one - channel.one_if_zero;
        const std::size_t cohorts = std::max<std::size_t>(1, at.cohorts.size());
        const std::size_t size = at.ones.size() / cohorts;
        // For a boolean, how often it is true says it all.
        for (std::size_t i = metric_.type == SOTTO_TYPE_BOOLEAN ? 1 : 0; i < at.ones.size(); ++i) {
            const auto n =
                static_cast<double>(at.cohorts.empty() ? at.reports : at.cohorts[i / size]);
            const double more = gain * gain * repeated_variance(n, of_a_value_, law.permanent_flip);
            const auto ones = static_cast<double>(at.ones[i]);
            const double zero = channel.one_if_zero;
            add_count(ones, n, channel, more);
            sum_ += ones;
            expected_ += n * zero;
            variance_ += n * zero * (1 - zero) + more;
        }
        // Every release has one true bit.
        const auto n = static_cast<double>(at.reports);
        expected_ += n * gain;
        variance_ += n * (channel.one_if_one * (1 - channel.one_if_one) -
                          channel.one_if_zero * (1 - channel.one_if_zero));
    }

    void add_count(double ones, double n, const bit_channel &by, double more) {
        const auto deviation = [&](double p) { return std::sqrt(n * p * (1 - p) + more); };
        count(ones > n * by.one_if_one + limit * deviation(by.one_if_one) ||
              ones < n * by.one_if_zero - limit * deviation(by.one_if_zero));
    }

    // Beyond what the noise of n reports adds to the largest value, or to the least, once in 10^13.
    // The tails are those of Laplace noise of scale b, heavier than normal ones: by Chernoff's
    // bound with its -ln(1 - b^2 s^2) <= b^2 s^2 / (1 - b s), e^-30 is at b (2 sqrt(30 n) + 30).
    void add_number(const number_count &c, const discrete_laplace_table &table,
                    double unit_epsilon) {
        const auto n = static_cast<double>(c.reports);
        const double sum = static_cast<double>(c.sum) +
                           (static_cast<double>(c.at_max) - static_cast<double>(c.at_min)) *
                               discrete_laplace_end(unit_epsilon);
        const double noise = (2 * std::sqrt(30 * n) + 30) / unit_epsilon;
        count(sum > n * table.max + noise || sum < n * table.min - noise);
    }

    void count(bool is_impossible) {
        ++out.counts;
        out.impossible += is_impossible ? 1 : 0;
    }

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
        if (tally[level].reports > 0) {
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
