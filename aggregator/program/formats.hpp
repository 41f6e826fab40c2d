// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_FORMATS_HPP
#define SOTTO_AGGREGATOR_PROGRAM_FORMATS_HPP

#include "aggregator/text/format.hpp"

#include <span>
#include <string>
#include <vector>

namespace sotto::aggregator {

// Every output format there is, in the order in which help names them.
std::span<const output_format *const> all_formats();

// Names of the formats that have an answer: format_names(&output_format::plan).
template <typename Answer> std::vector<std::string> format_names(Answer output_format::*answer) {
    std::vector<std::string> names;
    for (const output_format *format : all_formats()) {
        if (format->*answer != nullptr) {
            names.emplace_back(format->name);
        }
    }
    return names;
}

// Errors: usage_error naming those there are.
const output_format &format_of(const std::string &name);

} // namespace sotto::aggregator
#endif
