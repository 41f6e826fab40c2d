// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TEXT_JOINT_ROWS_HPP
#define SOTTO_AGGREGATOR_TEXT_JOINT_ROWS_HPP

#include "aggregator/estimate/joint.hpp"
#include "aggregator/estimate/remark.hpp"
#include "aggregator/estimate/report_likelihood.hpp"

#include <optional>
#include <vector>

namespace sotto::aggregator {

// A joint distribution and the names of its values.
struct joint_table {
    const report_likelihood &first, &second;
    std::uint32_t epoch;
    // The loss of a device that reported both, at the highest levels there are: the sum of both.
    double epsilon;
    const joint_fit &fit;
    std::vector<remark> remarks = {};
};

// A pair of values that the reports tell from others. It points into its table.
struct joint_row {
    const release_value &first, &second;
    estimated result; // its interval allows for the choice of the largest
};

// A row for each cell that has an estimate: by the first metric's values, then by the second's.
std::vector<joint_row> rows_of(const joint_table &table);

// The number of cells without an estimate; nothing where every cell has a row.
std::optional<cells_undetermined> cells_left_out(const joint_table &table);

} // namespace sotto::aggregator
#endif
