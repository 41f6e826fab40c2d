// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/formats.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/page/html_format.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

std::span<const output_format *const> all_formats() {
    static constexpr const output_format *formats[] = {&table_format,    &csv_format,
                                                       &json_format,     &html_format,
                                                       &markdown_format, &openmetrics_format};
    return formats;
}

const output_format &format_of(const std::string &name) {
    std::vector<std::string> names;
    for (const output_format *format : all_formats()) {
        if (format->name == name) {
            return *format;
        }
        names.emplace_back(format->name);
    }
    throw usage_error(fmt::format("--format: no {}; there are {}", in_quotes(name), joined(names)));
}

} // namespace sotto::aggregator
