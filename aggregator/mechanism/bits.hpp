// SPDX-License-Identifier: Apache-2.0
// Bits that each go through a channel of their own, level by level: unary encodings and RAPPOR, and
// all steps forward from a bit.
#ifndef SOTTO_AGGREGATOR_MECHANISM_BITS_HPP
#define SOTTO_AGGREGATOR_MECHANISM_BITS_HPP

#include "aggregator/mechanism/json_node.hpp"
#include "aggregator/mechanism/metric.hpp"

namespace sotto::aggregator {

// 2^-bits numerator, for 0 to 64 bits: 0 to 1.
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

// Epsilon that a published one loses, and a published zero: at least 0 where one_if_one is not
// below one_if_zero, infinite where a chance is 0.
double loss_if_one(const bit_channel &law);
double loss_if_zero(const bit_channel &law);

// A channel has 0 to 64 bits, and numerators up to 2^bits (2^64 - 1 for 64 bits). read_channels()
// takes `levels` of them, level 0 first, each with one_if_zero below one_if_one. Forward bits are
// two channels, by the true bit. read_small() takes `least` to `most`, at most 65535. Errors: as
// json_node.
bit_channel_table read_channel(const json_node &node);
std::vector<bit_channel_table> read_channels(const json_node &node, std::size_t levels);
forward_bits_table read_forward_bits(const json_node &table);
std::uint16_t read_small(const json_node &node, std::uint32_t least, std::uint32_t most);

// For people, a phrase with numerators out of 2^bits. And as in metrics.json: an array by level,
// its numerators as strings of digits.
std::string channel_text(const bit_channel_table &c);
nlohmann::ordered_json channels_json(const std::vector<bit_channel_table> &channels);

} // namespace sotto::aggregator
#endif
