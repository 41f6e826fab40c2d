// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/formats.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/page/html_format.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

std::span<const output_format *const> all_formats() {
    static constexpr const output_format *all[] = {&table_format, &csv_format, &json_format,
                                                   &html_format};
    return all;
}

const output_format &format_of(const std::string &name) {
    std::vector<std::string> names;
    for (const output_format *one : all_formats()) {
        if (one->name == name) {
            return *one;
        }
        names.emplace_back(one->name);
    }
    throw usage_error(fmt::format("--format: no {}; there are {}", in_quotes(name), joined(names)));
}

} // namespace sotto::aggregator
