// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/text.hpp"
#include "aggregator/text/fields.hpp"
#include "aggregator/text/format.hpp"
#include "aggregator/text/row_remarks.hpp"
#include "aggregator/text/schedule_text.hpp"

#include <fmt/format.h>
#include <span>

namespace sotto::aggregator {
namespace {

// Kinds of remarks, with a semicolon between two. No kind has a semicolon.
std::string kinds_of(const json_value &remarks) {
    std::vector<std::string> kinds;
    for (const json_value &r : remarks) {
        kinds.push_back(r.at("kind"));
    }
    return fmt::format("{}", fmt::join(kinds, ";"));
}

std::string csv_text(const json_value &value) {
    return value.is_null()     ? ""
           : value.is_array()  ? kinds_of(value)
           : value.is_string() ? csv_field(value.get_ref<const std::string &>())
                               : json_text(value);
}

// The last field is of remarks: their kinds, and then all that they hold as it stands in JSON.
std::string line(const std::vector<field> &fields) {
    std::vector<std::string> texts;
    for (const field &f : fields) {
        texts.push_back(csv_text(f.value));
    }
    const json_value &remarks = fields.back().value;
    texts.push_back(remarks.empty() ? "" : csv_field(json_text(remarks)));
    return fmt::format("{}\n", fmt::join(texts, ","));
}

std::string head(std::span<const char *const> names) {
    return fmt::format("{},remark_facts\n", fmt::join(names, ","));
}

// The same columns for every store: what a row has none of is an empty field.
std::string estimates_csv(const estimate_answer &answer) {
    std::string text = head(estimate_fields);
    const row_remarks remarks(answer.found);
    for (const estimate_row &r : answer.found.rows) {
        text += line(fields_of(r, remarks.on(r)));
    }
    if (answer.found.rows.empty() && !remarks.without_row().empty()) {
        text += line(fields_without_row(estimate_fields, remarks.without_row()));
    }
    return text;
}

std::string joint_csv(const joint_table &table, std::size_t) {
    std::string text = head(joint_fields);
    const json_value remarks = remarks_on(table);
    const std::vector<joint_row> rows = rows_of(table);
    for (const joint_row &r : rows) {
        text += line(fields_of(table, r, remarks));
    }
    if (rows.empty() && !remarks.empty()) {
        text += line(fields_without_row(joint_fields, remarks));
    }
    return text;
}

std::string schedule_csv(const schedule &made) {
    std::string text;
    if (const auto *offline = std::get_if<offline_schedule>(&made)) {
        text = "slot,weight,epsilon\n";
        for (std::size_t i = 0; i < offline->weights.size(); ++i) {
            text += fmt::format("{},{},{}\n", i + 1, offline->weights[i], offline->epsilons[i]);
        }
        return text;
    }
    const auto &policy = std::get<policy_schedule>(made);
    text = "state,history,level\n";
    const std::vector<unsigned> levels = policy.levels();
    for (std::size_t state = 0; state < levels.size(); ++state) {
        text += fmt::format("{},{},{}\n", state, history_text(policy, state), levels[state]);
    }
    return text;
}

} // namespace

const output_format csv_format = {
    .name = "csv", .estimates = estimates_csv, .joint = joint_csv, .schedule = schedule_csv};

} // namespace sotto::aggregator
