// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/columns.hpp"

#include "aggregator/base/text.hpp"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// Characters, not bytes: "±" is two of these.
std::size_t width(const std::string &text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string blanks(const std::string &text, std::size_t wanted) {
    return std::string(wanted - width(text), ' ');
}

// By column, its widest cell.
std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>> &table) {
    std::vector<std::size_t> widths(table.empty() ? 0 : table.front().size());
    for (const auto &cells : table) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths[i] = std::max(widths[i], width(cells[i]));
        }
    }
    return widths;
}

// Names often differ at their ends.
std::string shortened(const std::string &text, std::size_t most) {
    const std::size_t total = width(text);
    if (total <= most) {
        return text;
    }
    const std::size_t at_end = (most - 1) / 3, at_start = most - 1 - at_end;
    std::string start, end;
    std::size_t number = 0;
    for (const char c : text) {
        number += starts_character(c) ? 1 : 0;
        if (number <= at_start) {
            start += c;
        } else if (number > total - at_end) {
            end += c;
        }
    }
    return start + "…" + end;
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
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string next = "\n" + std::string(indent + 2, ' ');
    std::string out = line.substr(0, indent);
    std::size_t used = indent;
    bool first = true;
    for (const std::string &word : split(line.substr(indent), ' ')) {
        const bool fits = first || used + 1 + width(word) <= most;
        out += (first ? "" : fits ? " " : next) + word;
        used = (first ? indent : fits ? used + 1 : indent + 2) + width(word);
        first = false;
    }
    return out;
}

std::string aligned(const std::vector<std::vector<std::string>> &table, std::size_t left) {
    const std::vector<std::size_t> widths = widths_of(table);
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

std::string aligned_within(std::size_t most, std::vector<std::vector<std::string>> table,
                           std::size_t left, std::size_t first, std::size_t last) {
    constexpr std::size_t fewest = 12;
    const std::vector<std::size_t> widths = widths_of(table);
    const auto used = [&](std::size_t limit) {
        std::size_t sum = 2 * (widths.size() - 1);
        for (std::size_t i = 0; i < widths.size(); ++i) {
            sum += first <= i && i <= last ? std::min(widths[i], limit) : widths[i];
        }
        return sum;
    };
    std::size_t limit = table.empty() ? 0 : *std::max_element(widths.begin(), widths.end());
    while (limit > fewest && used(limit) > most) {
        --limit;
    }
    for (auto &cells : table) {
        for (std::size_t i = first; i <= last; ++i) {
            cells[i] = shortened(cells[i], limit);
        }
    }
    return aligned(table, left);
}

std::size_t terminal_width() {
    winsize size = {};
    const bool is_terminal =
        isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return is_terminal && size.ws_col > 0 ? size.ws_col : any_width;
}

} // namespace sotto::aggregator
