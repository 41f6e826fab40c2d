// SPDX-License-Identifier: Apache-2.0
// JSON as the program writes it: for programs first, and for people who look at it.
#ifndef SOTTO_AGGREGATOR_BASE_JSON_LAYOUT_HPP
#define SOTTO_AGGREGATOR_BASE_JSON_LAYOUT_HPP

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace sotto::aggregator {

using json_value = nlohmann::ordered_json;

// Null where there is no value.
template <typename Value> json_value or_null(const std::optional<Value> &value) {
    return value ? json_value(*value) : json_value();
}

// A number with all its digits, where a double has too few: it is written as it stands.
inline json_value exact_number(const std::string &digits) {
    return json_value::binary({digits.begin(), digits.end()});
}

// Doubles are as short as they read back exactly, null where they are no numbers. The outermost
// `broken` containers have an element a line if an element is a container; all others are one line.
std::string json_text(const json_value &value, std::size_t broken = 0);

} // namespace sotto::aggregator
#endif
