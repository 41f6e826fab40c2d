// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/cell_value.hpp"

#include "aggregator/base/text.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <stdexcept>

namespace sotto::aggregator {
namespace {

constexpr std::size_t names_shown_max = 12;

[[noreturn]] void fail(const std::string &what) { throw std::invalid_argument(what); }

std::string lower(std::string text) {
    for (char &c : text) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

// Whole numbers of any size. One that is too large for the SDK becomes the largest there is, which
// no metric's range reaches, so that the SDK clamps it.
std::optional<std::int32_t> integer(std::string_view text) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ptr != text.data() + text.size() || text.empty() ||
        (read.ec != std::errc() && read.ec != std::errc::result_out_of_range)) {
        return std::nullopt;
    }
    using limits = std::numeric_limits<std::int32_t>;
    if (read.ec == std::errc::result_out_of_range) {
        return text.front() == '-' ? limits::min() : limits::max();
    }
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(number, limits::min(), limits::max()));
}

// "21.5" times the scale; halves go away from 0. One that is too large: as integer() has it.
std::optional<std::int32_t> scaled(std::string_view text, std::uint32_t scale) {
    double number = 0;
    const auto read =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (read.ptr != text.data() + text.size() || read.ec != std::errc() || !std::isfinite(number)) {
        return std::nullopt;
    }
    using limits = std::numeric_limits<std::int32_t>;
    return static_cast<std::int32_t>(
        std::clamp<double>(std::round(number * scale), limits::min(), limits::max()));
}

} // namespace

cell_reader::cell_reader(const metric &m) : m_(&m) {
    for (std::uint32_t i = 0; i < m.names.size(); ++i) {
        index_.emplace(m.names[i], i);
    }
}

cell_value cell_reader::read(const std::string &cell) {
    switch (m_->type) {
    case SOTTO_TYPE_BOOLEAN:
        return boolean(cell);
    case SOTTO_TYPE_CATEGORY:
        return named(cell);
    case SOTTO_TYPE_SET: {
        std::vector<std::uint16_t> members;
        if (cell == "|") { // an empty cell makes no report: the empty set
            return members;
        }
        for (const std::string &name : split(cell, '|')) {
            members.push_back(static_cast<std::uint16_t>(named(name)));
            if (std::count(members.begin(), members.end(), members.back()) > 1) {
                fail(fmt::format("{} is there twice", in_quotes(name)));
            }
        }
        return members;
    }
    case SOTTO_TYPE_STRING:
        return cell;
    case SOTTO_TYPE_VECTOR:
        return fixed_numbers(cell);
    case SOTTO_TYPE_HISTOGRAM:
        return numbers(cell, "bins");
    case SOTTO_TYPE_QUANTILE:
        return numbers(cell, "points");
    case SOTTO_TYPE_LOCATION:
        return pairs(cell);
    default:
        if (const auto found = number(cell)) {
            return *found;
        }
        fail(fmt::format("{} is not a {}{}", in_quotes(cell), wanted(),
                         scale == 1 && scaled(cell, 1)
                             ? fmt::format("; --scale {}=100 takes hundredths", m_->name)
                             : ""));
    }
}

bool cell_reader::has_numbers() const {
    return m_->type != SOTTO_TYPE_BOOLEAN && m_->type != SOTTO_TYPE_CATEGORY &&
           m_->type != SOTTO_TYPE_SET && m_->type != SOTTO_TYPE_STRING;
}

const char *cell_reader::wanted() const { return scale == 1 ? "whole number" : "number"; }

std::optional<std::int32_t> cell_reader::number(std::string_view text) const {
    return scale == 1 ? integer(text) : scaled(text, scale);
}

// "3|-4|5" or "3 -4 5".
std::vector<std::int32_t> cell_reader::numbers(const std::string &cell,
                                               const std::string &list) const {
    std::vector<std::int32_t> values;
    for (const std::string &text : split(cell, cell.find('|') != std::string::npos ? '|' : ' ')) {
        const auto found = number(text);
        if (!found) {
            fail(fmt::format("{} is not {} with '|' or one blank between them", in_quotes(cell),
                             list));
        }
        values.push_back(*found);
    }
    return values;
}

std::vector<std::int32_t> cell_reader::fixed_numbers(const std::string &cell) const {
    const std::size_t length = m_->value_size();
    std::vector<std::int32_t> values = numbers(cell, fmt::format("{} {}s", length, wanted()));
    if (values.size() != length) {
        fail(fmt::format("{} has {}, the metric has {}", in_quotes(cell),
                         counted(values.size(), "number"), length));
    }
    return values;
}

// "3:4|0:7": two cells a point.
std::vector<std::int32_t> cell_reader::pairs(const std::string &cell) const {
    std::vector<std::int32_t> values;
    for (const std::string &point : split(cell, cell.find('|') != std::string::npos ? '|' : ' ')) {
        const std::vector<std::string> sides = split(point, ':');
        const auto x = number(sides.front()), y = number(sides.back());
        if (sides.size() != 2 || !x || !y) {
            fail(fmt::format("{} is not points X:Y with '|' or one blank between them",
                             in_quotes(cell)));
        }
        values.push_back(*x);
        values.push_back(*y);
    }
    return values;
}

bool cell_reader::boolean(const std::string &cell) {
    if (!listed.seen.empty()) {
        const auto at = listed.seen.find(cell);
        if (at == listed.seen.end()) {
            return !listed.value;
        }
        at->second = true;
        return listed.value;
    }
    static constexpr std::array yes = {"true", "yes", "1"}, no = {"false", "no", "0"};
    const std::string text = lower(cell);
    if (std::find(yes.begin(), yes.end(), text) != yes.end()) {
        return true;
    }
    if (std::find(no.begin(), no.end(), text) == no.end()) {
        fail(fmt::format("{} is none of true, false, yes, no, 1, 0; say --true {}=TEXT or --false",
                         in_quotes(cell), m_->name));
    }
    return false;
}

// A category or member by its name; where they have no names, by its number.
std::uint32_t cell_reader::named(const std::string &name) const {
    if (index_.empty()) {
        const auto number = integer(name);
        if (!number || *number < 0 || static_cast<std::uint32_t>(*number) >= m_->value_size()) {
            fail(fmt::format("{} is not an index from 0 to {}", in_quotes(name),
                             m_->value_size() - 1));
        }
        return static_cast<std::uint32_t>(*number);
    }
    const auto at = index_.find(name);
    if (at == index_.end()) {
        std::vector<std::string> known;
        for (std::size_t i = 0; i < std::min(m_->names.size(), names_shown_max); ++i) {
            known.push_back(in_quotes(m_->names[i]));
        }
        if (m_->names.size() > names_shown_max) {
            known.push_back(fmt::format("and {} more", m_->names.size() - names_shown_max));
        }
        fail(fmt::format("{} is none of {}", in_quotes(name), joined(known)));
    }
    return at->second;
}

} // namespace sotto::aggregator
