// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/read_table.hpp"

#include "sotto/registry.h"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr threshold half = threshold{1} << 63;
constexpr threshold any_threshold = ~threshold{0};
constexpr std::int32_t value_max = 1 << 30;
constexpr std::size_t digits_max = 29;

std::vector<threshold> read_thresholds(const json_node &node, std::size_t levels, threshold most) {
    std::vector<threshold> all;
    for (const json_node &one : node.elements(levels, levels)) {
        all.push_back(one.integer_text(1, most));
    }
    return all;
}

// Flips below one half: what is published still points to the truth.
std::vector<threshold> read_flips(const json_node &table, std::size_t levels) {
    (void)table.at("bits").integer(64, 64);
    return read_thresholds(table.at("flip"), levels, half - 1);
}

bit_channel_table read_channel(const json_node &node) {
    bit_channel_table channel;
    channel.bits = static_cast<std::uint8_t>(node.at("bits").integer(0, 64));
    const threshold one = channel.bits == 64 ? any_threshold : threshold{1} << channel.bits;
    channel.one_if_zero = node.at("one_if_zero").integer_text(0, one);
    channel.one_if_one = node.at("one_if_one").integer_text(0, one);
    return channel;
}

// Is the one to zeros what the other is to ones? 2^64 is 0 here, and the difference still right.
bool mirror(const bit_channel_table &a, const bit_channel_table &b) {
    const threshold whole = a.bits == 64 ? 0 : threshold{1} << a.bits;
    return a.bits == b.bits && b.one_if_zero == whole - a.one_if_one &&
           b.one_if_one == whole - a.one_if_zero;
}

std::vector<bit_channel_table> read_channels(const json_node &node, std::size_t levels) {
    std::vector<bit_channel_table> channels;
    for (const json_node &one : node.elements(levels, levels)) {
        channels.push_back(read_channel(one));
        if (channels.back().one_if_zero >= channels.back().one_if_one) {
            one.fail("one_if_zero is not below one_if_one");
        }
    }
    return channels;
}

geometric_table read_geometric(const json_node &node) {
    geometric_table g;
    g.digit_bits = static_cast<std::uint8_t>(node.at("digit_bits").integer(64, 128));
    if (g.digit_bits != 64 && g.digit_bits != 128) {
        node.at("digit_bits").fail("neither 64 nor 128");
    }
    for (const json_node &digit : node.at("digits").elements(1, digits_max)) {
        g.digits.push_back(digit.wide_text(g.digit_bits));
    }
    if (node.has("overflow") && !node.at("overflow").is_null()) {
        g.overflow = node.at("overflow").wide_text(g.digit_bits);
    }
    return g;
}

std::uint16_t read_small(const json_node &node, std::uint32_t least, std::uint32_t most) {
    return static_cast<std::uint16_t>(node.integer(least, most));
}

k_randomized_response_table read_k_randomized_response(const json_node &table, std::size_t levels) {
    (void)table.at("bits").integer(64, 64);
    return {read_thresholds(table.at("keep"), levels, any_threshold),
            table.at("size").integer(2, 65535)};
}

unary_table read_unary(const json_node &table, std::size_t levels) {
    unary_table t;
    t.channel = read_channels(table.at("channel"), levels);
    t.size = read_small(table.at("size"), 2, 1024);
    t.max_members = read_small(table.at("max_members"), 1, t.size);
    return t;
}

rappor_table read_rappor(const json_node &table, bool one_hot, std::size_t levels) {
    rappor_table t;
    t.permanent = read_channels(table.at("permanent"), levels);
    t.instantaneous = read_channels(table.at("instantaneous"), levels);
    t.bits = read_small(table.at("bits"), one_hot ? 2 : 8, 1024);
    t.hashes = read_small(table.at("hashes"), one_hot ? 0 : 1, one_hot ? 0 : 8);
    t.cohorts = read_small(table.at("cohorts"), 1, one_hot ? 1 : 1024);
    t.max_bytes = read_small(table.at("max_bytes"), one_hot ? 0 : 1, one_hot ? 0 : 256);
    t.max_values = read_small(table.at("max_values"), 0, 1024);
    // The top has no level above it to be drawn from.
    t.chained = read_small(table.at("chained"), 0, (1u << (levels - 1)) - 1);
    const std::string &protects = table.at("protects").string();
    t.protects_sequence = protects == "sequence";
    if (!t.protects_sequence && protects != "value") {
        table.at("protects").fail("neither \"value\" nor \"sequence\"");
    }
    return t;
}

laplace_noise_table read_noise(const json_node &node) {
    return {node.at("nonzero").integer_text(1, any_threshold), read_geometric(node)};
}

discrete_laplace_table read_discrete_laplace(const json_node &table, std::size_t levels) {
    discrete_laplace_table t;
    for (const json_node &one : table.at("noise").elements(levels, levels)) {
        t.noise.push_back(read_noise(one));
    }
    t.min = table.at("min").signed_integer(-value_max, value_max - 1);
    t.max = table.at("max").signed_integer(t.min + 1, value_max);
    t.publish_min = table.at("publish_min").signed_integer(-value_max, t.min);
    t.publish_max = table.at("publish_max").signed_integer(t.max, value_max);
    t.length = read_small(table.at("length"), 1, 256);
    t.l1_half = table.at("l1_half").integer(0, discrete_laplace_table::l1_not_enforced);
    return t;
}

mechanism_table read_laplace_threshold(const json_node &table, std::size_t levels) {
    if (!table.has("grid")) {
        return randomized_response_table{read_flips(table, levels)};
    }
    laplace_threshold_table t;
    t.grid = table.at("grid").integer(3, static_cast<std::uint32_t>(value_max) - 1);
    t.threshold = table.at("threshold").integer(1, t.grid);
    t.lattice = read_discrete_laplace(table.at("lattice"), levels);
    if (t.grid % 2 == 0) {
        table.at("grid").fail("not odd");
    }
    if (t.lattice.min != 0 || t.lattice.max != static_cast<std::int32_t>(t.grid)) {
        table.at("lattice").fail("not from 0 to grid");
    }
    return t;
}

one_bit_mean_table read_one_bit_mean(const json_node &metric_node, std::size_t levels) {
    const json_node table = metric_node.at("table");
    one_bit_mean_table t;
    t.flip = read_flips(table, levels);
    t.min = metric_node.at("min").signed_integer(-value_max, value_max - 1);
    t.max = metric_node.at("max").signed_integer(t.min + 1, value_max);
    const auto range = static_cast<std::uint32_t>(t.max - t.min);
    t.scale = static_cast<std::uint32_t>(
        table.at("scale").integer_text(0xffffffff / range, 0xffffffff / range));
    return t;
}

} // namespace

mechanism_table read_table(const json_node &metric_node, const metric &of, std::size_t levels) {
    const json_node table = metric_node.at("table");
    switch (of.mechanism) {
    case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
        return randomized_response_table{read_flips(table, levels)};
    case SOTTO_MECHANISM_LAPLACE_THRESHOLD:
        return read_laplace_threshold(table, levels);
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        return read_k_randomized_response(table, levels);
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return read_rappor(table, of.mechanism == SOTTO_MECHANISM_BASIC_RAPPOR, levels);
    case SOTTO_MECHANISM_DISCRETE_LAPLACE:
        return read_discrete_laplace(table, levels);
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
        return read_one_bit_mean(metric_node, levels);
    default:
        return read_unary(table, levels);
    }
}

forward_table read_forward_table(const json_node &table, const metric &of) {
    if (std::holds_alternative<k_randomized_response_table>(of.table)) {
        forward_category_table t;
        const std::vector<threshold> to_value =
            read_thresholds(table.at("to_value"), 2, any_threshold);
        t.to_value = {to_value[0], to_value[1]};
        t.keep_last = table.at("keep_last").integer_text(t.to_value[0], any_threshold);
        return t;
    }
    if (std::holds_alternative<discrete_laplace_table>(of.table)) {
        return forward_laplace_table{
            table.at("opposite").integer_text(1, any_threshold),
            table.at("stay").integer_text(1, any_threshold), read_geometric(table.at("within")),
            read_geometric(table.at("beyond")), read_geometric(table.at("tail"))};
    }
    const std::vector<json_node> given = table.at("given").elements(2, 2);
    const forward_bits_table t = {{read_channel(given[0]), read_channel(given[1])}};
    if (!std::holds_alternative<rappor_table>(of.table) || !table.has("instantaneous")) {
        return t;
    }
    if (!mirror(t.given[0], t.given[1])) {
        table.at("given").fail("the two do not mirror each other");
    }
    return forward_permanent_table{t, read_channel(table.at("instantaneous"))};
}

} // namespace sotto::aggregator
