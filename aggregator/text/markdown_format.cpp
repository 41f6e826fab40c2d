// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/text.hpp"
#include "aggregator/promise/datasheet.hpp"
#include "aggregator/text/format.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// A cell of one line. No character means anything else, but for code between backticks.
std::string cell(const std::string &text) {
    std::string out;
    bool is_code = false;
    for (const char c : text) {
        is_code ^= c == '`';
        if (c == '|' || (!is_code && (c == '\\' || c == '<' || c == '*' || c == '_'))) {
            out += '\\';
        }
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::string sheet_markdown(const datasheet &sheet) {
    std::string text = fmt::format("# {}\n", cell(sheet.title));
    for (const sheet_part &part : sheet.parts) {
        text += fmt::format("\n## {}\n| fact | value | field |\n| --- | --- | --- |\n",
                            cell(part.title));
        for (const sheet_fact &fact : part.facts) {
            text += fmt::format("| {} | {} | {} |\n", cell(fact.name),
                                fact.value.empty() ? to_be_filled_in : cell(fact.value),
                                cell(fact.field));
        }
    }
    return text;
}

} // namespace

const output_format markdown_format = {.name = "md", .datasheet = sheet_markdown};

} // namespace sotto::aggregator
