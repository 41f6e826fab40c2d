// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/bits.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {

double probability(threshold numerator, int bits) {
    return std::ldexp(static_cast<double>(numerator), -bits);
}

double through(const bit_channel_table &channel, double p) {
    return (1 - p) * probability(channel.one_if_zero, channel.bits) +
           p * probability(channel.one_if_one, channel.bits);
}

bit_law bit_law::after(const bit_channel_table &channel) const {
    return {through(channel, if_zero), through(channel, if_one)};
}

bit_law next_bit(const forward_bits_table &step, const bit_law &last) {
    return {through(step.given[0], last.if_zero), through(step.given[1], last.if_one)};
}

double loss_if_one(const bit_channel &law) { return std::log(law.one_if_one / law.one_if_zero); }

double loss_if_zero(const bit_channel &law) {
    return std::log1p(-law.one_if_zero) - std::log1p(-law.one_if_one);
}

bit_channel_table read_channel(const json_node &node) {
    bit_channel_table channel;
    channel.bits = static_cast<std::uint8_t>(node.at("bits").integer(0, 64));
    const threshold whole = channel.bits == 64 ? ~threshold{0} : threshold{1} << channel.bits;
    channel.one_if_zero = node.at("one_if_zero").integer_text(0, whole);
    channel.one_if_one = node.at("one_if_one").integer_text(0, whole);
    return channel;
}

std::vector<bit_channel_table> read_channels(const json_node &node, std::size_t levels) {
    std::vector<bit_channel_table> channels;
    for (const json_node &pair : node.elements(levels, levels)) {
        channels.push_back(read_channel(pair));
        if (channels.back().one_if_zero >= channels.back().one_if_one) {
            pair.fail("one_if_zero is not below one_if_one");
        }
    }
    return channels;
}

forward_bits_table read_forward_bits(const json_node &table) {
    const std::vector<json_node> given = table.at("given").elements(2, 2);
    return {{read_channel(given[0]), read_channel(given[1])}};
}

std::uint16_t read_small(const json_node &node, std::uint32_t least, std::uint32_t most) {
    return static_cast<std::uint16_t>(node.integer(least, most));
}

std::string channel_text(const bit_channel_table &c) {
    return fmt::format("0 becomes 1 by {}, 1 stays 1 by {}, out of 2^{}", c.one_if_zero,
                       c.one_if_one, c.bits);
}

nlohmann::ordered_json channels_json(const std::vector<bit_channel_table> &channels) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const bit_channel_table &c : channels) {
        out.push_back({{"bits", c.bits},
                       {"one_if_zero", std::to_string(c.one_if_zero)},
                       {"one_if_one", std::to_string(c.one_if_one)}});
    }
    return out;
}

} // namespace sotto::aggregator
