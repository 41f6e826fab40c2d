// SPDX-License-Identifier: Apache-2.0
// An output format: the answers that it can write. A format is one file, with one of these;
// program/formats.cpp lists them.
#ifndef SOTTO_AGGREGATOR_TEXT_FORMAT_HPP
#define SOTTO_AGGREGATOR_TEXT_FORMAT_HPP

#include "aggregator/base/columns.hpp"
#include "aggregator/estimate/estimate.hpp"
#include "aggregator/plan/plan.hpp"
#include "aggregator/plan/schedule.hpp"
#include "aggregator/promise/datasheet.hpp"
#include "aggregator/promise/horizon.hpp"
#include "aggregator/promise/shuffled_table.hpp"
#include "aggregator/report/reason.hpp"
#include "aggregator/text/joint_rows.hpp"

#include <optional>
#include <string>

namespace sotto::aggregator {

// An answer of sotto estimate, in lines of `width` characters where they are for people.
struct estimate_answer {
    const estimates &found;
    const registry &known;
    const std::optional<rejections> &rejected; // nothing: the store keeps no account
    const selection &asked;
    std::size_t width = any_width;
};

// Null where the format has no such answer. Functions are pure; the text ends with a line end.
struct output_format {
    const char *name;
    std::string (*estimates)(const estimate_answer &) = nullptr;
    std::string (*joint)(const joint_table &, std::size_t width) = nullptr;
    std::string (*plan)(const plan &) = nullptr;
    std::string (*schedule)(const schedule &) = nullptr;
    std::string (*epsilon)(const registry &, std::size_t width) = nullptr;
    std::string (*horizon)(const registry &, const horizon_table &, std::size_t width) = nullptr;
    std::string (*shuffled)(const registry &, const shuffled_table &, std::size_t width) = nullptr;
    std::string (*datasheet)(const struct datasheet &) = nullptr;
    // Leaves out of the request what the format does not show; null: it shows all.
    void (*limit)(estimate_request &) = nullptr;
    bool says_want_of_reports = false; // beside the estimates; else it goes to standard error
    bool says_why_nothing = false;     // where there is no estimate
};

extern const output_format table_format, csv_format, json_format, markdown_format,
    openmetrics_format;

} // namespace sotto::aggregator
#endif
