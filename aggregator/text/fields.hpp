// SPDX-License-Identifier: Apache-2.0
// The fields of a row of estimates, for programs: JSON and CSV have the same.
#ifndef SOTTO_AGGREGATOR_TEXT_FIELDS_HPP
#define SOTTO_AGGREGATOR_TEXT_FIELDS_HPP

#include "aggregator/base/json_layout.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/text/joint_rows.hpp"

#include <span>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A field of no value is null in an object, or left out, and empty in a line.
struct field {
    const char *name;
    json_value value;
    bool is_left_out = false;
};

// The names of all fields, in order: the head of a table.
inline constexpr const char *estimate_fields[] = {"metric",
                                                  "epoch",
                                                  "level",
                                                  "epsilon",
                                                  "mechanism",
                                                  "value",
                                                  "estimate",
                                                  "std_error",
                                                  "ci_low",
                                                  "ci_high",
                                                  "reports",
                                                  "consistent",
                                                  "pooled",
                                                  "pooled_std_error",
                                                  "coalition_shift",
                                                  "detected",
                                                  "epsilon_all_epochs",
                                                  "quantity",
                                                  "epsilon_all_levels",
                                                  "value_kind",
                                                  "epochs",
                                                  "total",
                                                  "total_std_error",
                                                  "monotone",
                                                  "title",
                                                  "unit",
                                                  "date",
                                                  "remarks"};
inline constexpr const char *joint_fields[] = {
    "epoch",         "first",   "second",     "estimate",    "std_error",
    "ci_low",        "ci_high", "reports",    "converged",   "first_metric",
    "second_metric", "epsilon", "first_kind", "second_kind", "remarks"};

// All fields that there are, in order, whatever the row has. `remarks` are an array of objects
// (row_remarks.hpp).
std::vector<field> fields_of(const estimate_row &r, const json_value &remarks);
std::vector<field> fields_of(const joint_table &table, const joint_row &r,
                             const json_value &remarks);
// The same fields where there is no row: all are null but the remarks.
std::vector<field> fields_without_row(std::span<const char *const> names,
                                      const json_value &remarks);

} // namespace sotto::aggregator
#endif
