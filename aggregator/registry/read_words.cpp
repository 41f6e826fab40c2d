// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/read_words.hpp"

namespace sotto::aggregator {
namespace {

constexpr std::size_t bytes_of_character = 4;

// "" where there is none; `most` characters, as tools/registry/words.py has them.
std::string text_of(const json_node &words, const char *key, std::size_t most) {
    return words.has(key) ? words.at(key).label(bytes_of_character * most) : "";
}

} // namespace

metric_words read_words(const json_node &metric_node) {
    metric_words read;
    if (metric_node.has("words")) {
        const json_node words = metric_node.at("words");
        read.title = text_of(words, "title", 60);
        read.unit = text_of(words, "unit", 20);
        read.description = text_of(words, "description", 400);
        read.is_ordered = words.has("ordered") && words.at("ordered").boolean();
    }
    return read;
}

std::optional<calendar> read_calendar(const json_node &root) {
    if (!root.has("words") || !root.at("words").has("epoch_days")) {
        return std::nullopt;
    }
    const json_node words = root.at("words");
    const auto start = day_number(words.at("epoch_start").string());
    if (!start) {
        words.at("epoch_start").fail("is not a day, as in 2024-10-04");
    }
    return calendar{*start, words.at("epoch_days").integer(1, 366)};
}

} // namespace sotto::aggregator
