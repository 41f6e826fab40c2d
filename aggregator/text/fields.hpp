// SPDX-License-Identifier: Apache-2.0
// The fields of a row of estimates, for programs: JSON and CSV have the same.
#ifndef SOTTO_AGGREGATOR_TEXT_FIELDS_HPP
#define SOTTO_AGGREGATOR_TEXT_FIELDS_HPP

#include "aggregator/base/json_layout.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/text/joint_rows.hpp"

#include <string>
#include <vector>

namespace sotto::aggregator {

// A field of no value is null in an object, or left out, and empty in a line.
struct field {
    const char *name;
    json_value value;
    bool is_left_out = false;
};

// All fields that there are, in order, whatever the row has. `remarks` are an array of objects
// (row_remarks.hpp); in a line they are their kinds.
std::vector<field> fields_of(const estimate_row &r, const json_value &remarks);
std::vector<field> fields_of(const joint_table &table, const joint_row &r,
                             const json_value &remarks);

} // namespace sotto::aggregator
#endif
