// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/calendar.hpp"
#include "aggregator/text/fields.hpp"
#include "aggregator/text/row_remarks.hpp"
#include "tables.hpp"

#include <map>
#include <string_view>

namespace sotto::python {

using namespace aggregator;

namespace {

// All others are float64.
const std::map<std::string_view, const char *> formats = {
    {"metric", "U"},  {"epoch", "I"},    {"level", "I"},    {"mechanism", "U"},  {"value", "U"},
    {"reports", "L"}, {"detected", "b"}, {"quantity", "U"}, {"value_kind", "U"}, {"epochs", "I"},
    {"title", "U"},   {"unit", "U"},     {"date", "tdD"},   {"remarks", "U"}};

const char *format_of_field(const char *name) {
    const auto found = formats.find(name);
    return found == formats.end() ? "g" : found->second;
}

void add(column_writer &filled, std::string_view format, const json_value &value) {
    if (value.is_null() || (value.is_array() && value.empty())) {
        filled.add_nothing();
    } else if (format == "tdD") {
        filled.add(static_cast<std::int32_t>(day_number(value.get<std::string>()).value_or(0)));
    } else if (format == "U") {
        filled.add_text(value.is_string() ? value.get<std::string>() : json_text(value));
    } else if (format == "b") {
        filled.add_bit(value.get<bool>());
    } else if (format == "I") {
        filled.add(value.get<std::uint32_t>());
    } else if (format == "L") {
        filled.add(value.get<std::uint64_t>());
    } else {
        filled.add(value.get<double>());
    }
}

} // namespace

column estimate_table(const estimates &found) {
    std::vector<column_writer> writers;
    for (const char *name : estimate_fields) {
        writers.emplace_back(name, format_of_field(name));
    }
    const row_remarks remarks(found);
    for (const estimate_row &r : found.rows) {
        const std::vector<field> fields = fields_of(r, remarks.on(r));
        for (std::size_t i = 0; i < fields.size(); ++i) {
            add(writers[i], format_of_field(fields[i].name), fields[i].value);
        }
    }
    std::vector<column> columns;
    for (column_writer &writer : writers) {
        columns.push_back(writer.take());
    }
    return table_of(std::move(columns), static_cast<std::int64_t>(found.rows.size()));
}

} // namespace sotto::python
