// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_NUMBER_OPTION_HPP
#define SOTTO_AGGREGATOR_PROGRAM_NUMBER_OPTION_HPP

#include "aggregator/base/text.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <type_traits>

namespace sotto::aggregator {

template <typename T> struct number_in { using type = T; };
template <typename T> struct number_in<std::optional<T>> { using type = T; };

// An option that takes a decimal number, 010 being ten; whoever gives something else is told what
// is allowed. `value` is a number or std::optional of one.
template <typename Value, typename Number = typename number_in<Value>::type>
CLI::Option *add_number(CLI::App *sub, const char *name, Value &value, const char *about,
                        std::type_identity_t<Number> min = std::numeric_limits<Number>::lowest(),
                        std::type_identity_t<Number> max = std::numeric_limits<Number>::max()) {
    const auto read = [min, max](std::string &text) -> std::string {
        Number number = 0;
        const char *end = text.data() + text.size();
        const auto [stop, wrong] = std::from_chars(text.data(), end, number);
        if (wrong == std::errc() && stop == end && number >= min && number <= max) {
            text = fmt::format("{}", number);
            return "";
        }
        const bool is_any = !std::is_integral_v<Number> &&
                            min == std::numeric_limits<Number>::lowest() &&
                            max == std::numeric_limits<Number>::max();
        return is_any ? in_quotes(text) + " is not a number"
                      : fmt::format("{} is not a {}number from {} to {}", in_quotes(text),
                                    std::is_integral_v<Number> ? "whole " : "", min, max);
    };
    return sub->add_option(name, value, about)->transform(CLI::Validator(read, "", "number"));
}

} // namespace sotto::aggregator
#endif
