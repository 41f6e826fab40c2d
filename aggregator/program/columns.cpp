// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/columns.hpp"

#include "aggregator/base/text.hpp"

#include <algorithm>

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

std::size_t line_width(const std::string &text) {
    std::size_t widest = 0;
    for (const std::string &line : split(text, '\n')) {
        widest = std::max(widest, width(line));
    }
    return widest;
}

std::string wrapped(const std::string &line, std::size_t most) {
    std::string out;
    std::size_t used = 0;
    for (const std::string &word : split(line, ' ')) {
        const bool fits = out.empty() || used + 1 + width(word) <= most;
        out += out.empty() ? "" : fits ? " " : "\n  ";
        used = out.empty() ? 0 : fits ? used + 1 : 2;
        out += word;
        used += width(word);
    }
    return out;
}

std::string aligned(const std::vector<std::vector<std::string>> &table, std::size_t left) {
    std::vector<std::size_t> widths(table.empty() ? 0 : table.front().size());
    for (const auto &cells : table) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths[i] = std::max(widths[i], width(cells[i]));
        }
    }
    std::string text;
    for (const auto &cells : table) {
        for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
            const std::string padding = blanks(cells[i], widths[i]);
            text += (i < left ? cells[i] + padding : padding + cells[i]) + "  ";
        }
        text += cells.back() + "\n";
    }
    return text;
}

} // namespace sotto::aggregator
