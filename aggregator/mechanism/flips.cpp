// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/flips.hpp"

#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/level_text.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {

std::vector<threshold> read_thresholds(const json_node &node, std::size_t levels, threshold most) {
    std::vector<threshold> flips;
    for (const json_node &probability : node.elements(levels, levels)) {
        flips.push_back(probability.integer_text(1, most));
    }
    return flips;
}

std::vector<threshold> read_flips(const json_node &table, std::size_t levels) {
    constexpr threshold half = threshold{1} << 63;
    (void)table.at("bits").integer(64, 64);
    return read_thresholds(table.at("flip"), levels, half - 1);
}

std::vector<level_law> flip_laws(const std::vector<threshold> &flip) {
    std::vector<level_law> laws(flip.size());
    double p = 0;
    for (std::size_t i = flip.size(); i-- > 0;) {
        const double step = probability(flip[i]);
        p = p * (1 - step) + (1 - p) * step;
        laws[i] = flip_law{p};
    }
    return laws;
}

level_law next_flip_law(const forward_table &step, const level_law &last) {
    const double flip = flip_of(last);
    return flip_law{next_bit(std::get<forward_bits_table>(step), {flip, 1 - flip}).if_zero};
}

double flip_loss(const level_law &law) {
    return std::log1p(-flip_of(law)) - std::log(flip_of(law));
}

std::string flip_lines(const std::vector<threshold> &flip) {
    std::string text;
    for (std::size_t i = flip.size(); i-- > 0;) {
        text +=
            level_line(i, fmt::format("{} ({} is flipped)", flip[i], source_of(i, flip.size())));
    }
    return text;
}

} // namespace sotto::aggregator
