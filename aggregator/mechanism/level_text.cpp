// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/level_text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

std::string level_line(std::size_t level, const std::string &what) {
    return fmt::format("    level {}: {}\n", level, what);
}

std::string source_of(std::size_t level, std::size_t count) {
    return level + 1 == count ? "the value" : fmt::format("level {}", level + 1);
}

std::vector<std::string> digits_of(const std::vector<threshold> &thresholds) {
    std::vector<std::string> out;
    for (const threshold probability : thresholds) {
        out.push_back(std::to_string(probability));
    }
    return out;
}

} // namespace sotto::aggregator
