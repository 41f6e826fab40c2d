// SPDX-License-Identifier: Apache-2.0
// Bits that each go through a channel of their own, level by level: unary encodings and RAPPOR, and
// all steps forward from a bit.
#ifndef SOTTO_AGGREGATOR_MECHANISM_BITS_HPP
#define SOTTO_AGGREGATOR_MECHANISM_BITS_HPP

#include "aggregator/mechanism/json_node.hpp"
#include "aggregator/mechanism/metric.hpp"

namespace sotto::aggregator {

inline constexpr std::uint32_t bits_max = 1024; // a report's, at most

// 2^-bits numerator.
double probability(threshold numerator, int bits = 64);

// P(one), by the true bit.
struct bit_law {
    double if_zero = 0, if_one = 1;

    // The law behind one more channel.
    bit_law after(const bit_channel_table &channel) const;
};

// P(one), after the channel, of a bit that is one with probability p before it.
double through(const bit_channel_table &channel, double p);
// The law of the next bit, given the true one and the last one.
bit_law next_bit(const forward_bits_table &step, const bit_law &last);

// Loss where the published bit is one, and where it is zero.
double loss_if_one(const bit_channel &law);
double loss_if_zero(const bit_channel &law);

// Errors: as json_node.
bit_channel_table read_channel(const json_node &node);
std::vector<bit_channel_table> read_channels(const json_node &node, std::size_t levels);
forward_bits_table read_forward_bits(const json_node &table);
std::uint16_t read_small(const json_node &node, std::uint32_t least, std::uint32_t most);

// For people, and as in metrics.json.
std::string channel_text(const bit_channel_table &c);
nlohmann::ordered_json channels_json(const std::vector<bit_channel_table> &channels);

} // namespace sotto::aggregator
#endif
