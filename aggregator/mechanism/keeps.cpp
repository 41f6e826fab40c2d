// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/keeps.hpp"

#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/flips.hpp"
#include "aggregator/mechanism/level_text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

std::vector<threshold> read_keeps(const json_node &table, std::size_t levels) {
    (void)table.at("bits").integer(64, 64);
    return read_thresholds(table.at("keep"), levels, ~threshold{0});
}

std::vector<level_law> keep_laws(const std::vector<threshold> &keep) {
    std::vector<level_law> laws(keep.size());
    double kept = 1;
    for (std::size_t i = keep.size(); i-- > 0;) {
        kept *= probability(keep[i]);
        laws[i] = keep_law{kept};
    }
    return laws;
}

std::string keep_lines(const std::vector<threshold> &keep, const std::string &top,
                       std::uint32_t answers) {
    std::string text;
    for (std::size_t i = keep.size(); i-- > 0;) {
        const std::string from = i + 1 < keep.size() ? source_of(i, keep.size()) : top;
        text += level_line(i, fmt::format("{} ({} is kept, else it is one of all {} at random)",
                                          keep[i], from, answers));
    }
    return text;
}

forward_table read_support_step(const json_node &table) {
    forward_support_table t;
    const std::vector<threshold> keep_last =
        read_thresholds(table.at("keep_last"), 2, ~threshold{0});
    t.keep_last = {keep_last[0], keep_last[1]};
    t.keep = table.at("keep").integer_text(1, ~threshold{0});
    return t;
}

level_law next_support_law(const forward_table &step, const level_law &last, double even) {
    const auto &t = std::get<forward_support_table>(step);
    const auto chance = [&](double keep) { return keep + (1 - keep) * even; }; // to support it
    const double fresh = chance(probability(t.keep)), before = chance(keep_of(last));
    const double other = probability(t.keep_last[0]), own = probability(t.keep_last[1]);
    const double after = before * (own + (1 - own) * fresh) + (1 - before) * (1 - other) * fresh;
    return keep_law{(after - even) / (1 - even)};
}

} // namespace sotto::aggregator
