// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/json_layout.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace sotto::aggregator {
namespace {

std::string scalar_text(const json_value &value) {
    if (value.is_binary()) { // an exact_number
        return {value.get_binary().begin(), value.get_binary().end()};
    }
    if (value.is_number_float()) {
        const auto number = value.get<double>();
        return std::isfinite(number) ? fmt::format("{}", number) : "null";
    }
    return value.dump(-1, ' ', false, json_value::error_handler_t::replace);
}

bool is_one_line(const json_value &value, std::size_t broken) {
    return broken == 0 || std::none_of(value.begin(), value.end(), [](const json_value &inner) {
               return inner.is_structured();
           });
}

std::string text_of(const json_value &value, std::size_t broken, const std::string &indent) {
    if (!value.is_structured()) {
        return scalar_text(value);
    }
    const bool one_line = is_one_line(value, broken);
    const std::string inner = one_line ? "" : indent + "  ";
    std::vector<std::string> parts;
    for (auto at = value.begin(); at != value.end(); ++at) {
        const std::string name = value.is_object() ? scalar_text(at.key()) + ": " : "";
        parts.push_back(inner + name + text_of(*at, one_line ? 0 : broken - 1, inner));
    }
    const char *ends = value.is_object() ? "{}" : "[]";
    return one_line
               ? fmt::format("{}{}{}", ends[0], fmt::join(parts, ", "), ends[1])
               : fmt::format("{}\n{}\n{}{}", ends[0], fmt::join(parts, ",\n"), indent, ends[1]);
}

} // namespace

std::string json_text(const json_value &value, std::size_t broken) {
    return text_of(value, broken, "");
}

} // namespace sotto::aggregator
