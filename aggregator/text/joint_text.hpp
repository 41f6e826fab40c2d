// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TEXT_JOINT_TEXT_HPP
#define SOTTO_AGGREGATOR_TEXT_JOINT_TEXT_HPP

#include "aggregator/base/columns.hpp"
#include "aggregator/estimate/joint.hpp"
#include "aggregator/estimate/report_likelihood.hpp"

#include <string>

namespace sotto::aggregator {

// A joint distribution and the names of its values.
struct joint_table {
    const report_likelihood &first, &second;
    std::uint32_t epoch;
    // The loss of a device that reported both, at the highest levels there are: the sum of both.
    double epsilon;
    const joint_fit &fit;
};

// The largest cells first, at most 40, for people; names are shortened where they must be.
std::string joint_text(const joint_table &table, std::size_t width = any_width);
// An array of {epoch, first, second, estimate, std_error, ci_low, ci_high, reports, converged,
// first_metric, second_metric, epsilon}: `first` and `second` are the values, as in estimate_json,
// null for any string but the candidates (in CSV empty).
std::string joint_json(const joint_table &table);
std::string joint_csv(const joint_table &table);

} // namespace sotto::aggregator
#endif
