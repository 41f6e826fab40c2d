// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_REPORT_LIKELIHOOD_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_REPORT_LIKELIHOOD_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/statistics/rappor.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace sotto::aggregator {

// Kinds of values that a release can have.
enum class value_class : std::uint8_t {
    named,    // by its text
    too_long, // any string of more than max_bytes
    dummy,    // without any bit: a device had more than max_values values
    other     // any other string: its Bloom bits are random, as in rappor.hpp
};

// A value that a release can have.
struct release_value {
    value_class is = value_class::named;
    std::string text; // as it is printed
};

// The likelihood of one report under each value that a release can have. The metric has few values:
// it is a boolean, a category, or strings with candidates. RAPPOR that remembers values has a
// dummy, strings have those that are too long and any others too.
class report_likelihood {
  public:
    // Candidates are read for strings only. Errors: usage_error for another type of metric, or for
    // a string without candidates. `m` must outlive this.
    report_likelihood(const metric &m, std::vector<std::string> candidates);

    const metric &subject() const { return metric_; }
    const std::vector<release_value> &values() const { return values_; }

    // P(report | value) by value, but for a factor that all share, the largest 1. `value` as it is
    // stored (aggregator/store/row.hpp) and admitted (report/check.hpp).
    std::vector<float> of_report(std::uint32_t level, std::uint32_t cohort,
                                 std::span<const std::uint8_t> value);

  private:
    std::vector<float> of_support(const difference_set &set, const bit_channel &channel,
                                  std::uint32_t index) const;
    std::vector<float> of_answer(const bit_channel &channel, std::uint32_t cohort,
                                 std::uint32_t index);
    std::vector<float> of_bits(const bit_channel &channel, std::uint32_t cohort,
                               std::span<const std::uint8_t> value);
    const std::vector<std::vector<std::uint32_t>> &bits_of(std::uint32_t cohort);

    const metric &metric_;
    bool strings_;
    std::vector<release_value> values_;
    std::vector<bit_channel> channels_; // by level
    bloom_function bloom_;
    std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> bits_; // by cohort and value
};

} // namespace sotto::aggregator
#endif
