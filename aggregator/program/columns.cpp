// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/columns.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// Characters, not bytes: "±" is two of these.
std::size_t width(const std::string &text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::string blanks(const std::string &text, std::size_t wanted) {
    return std::string(wanted - width(text), ' ');
}

} // namespace

std::string aligned(const std::vector<std::vector<std::string>> &table) {
    std::vector<std::size_t> widths(table.empty() ? 0 : table.front().size());
    for (const auto &cells : table) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths[i] = std::max(widths[i], width(cells[i]));
        }
    }
    std::string text;
    for (const auto &cells : table) {
        text += cells.front() + blanks(cells.front(), widths.front());
        for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
            text += "  " + blanks(cells[i], widths[i]) + cells[i];
        }
        text += "  " + cells.back() + "\n";
    }
    return text;
}

} // namespace sotto::aggregator
