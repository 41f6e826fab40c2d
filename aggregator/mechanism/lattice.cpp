// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/lattice.hpp"

#include "aggregator/base/big_integer.hpp"
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/laplace_law.hpp"
#include "aggregator/mechanism/level_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string number(const wide_threshold &limbs) {
    return decimal_text({limbs.begin(), limbs.end()});
}

} // namespace

geometric_table read_geometric(const json_node &node) {
    geometric_table g;
    g.digit_bits = static_cast<std::uint8_t>(node.at("digit_bits").integer(64, 128));
    if (g.digit_bits != 64 && g.digit_bits != 128) {
        node.at("digit_bits").fail("neither 64 nor 128");
    }
    for (const json_node &digit : node.at("digits").elements(1, SOTTO_DIGITS_MAX)) {
        g.digits.push_back(digit.wide_text(g.digit_bits));
    }
    if (node.has("overflow") && !node.at("overflow").is_null()) {
        g.overflow = node.at("overflow").wide_text(g.digit_bits);
    }
    return g;
}

laplace_noise_table read_noise(const json_node &node) {
    return {node.at("nonzero").integer_text(1, ~threshold{0}), read_geometric(node)};
}

discrete_laplace_table read_lattice(const json_node &table, std::size_t levels) {
    discrete_laplace_table t;
    for (const json_node &noise : table.at("noise").elements(levels, levels)) {
        t.noise.push_back(read_noise(noise));
    }
    t.min = table.at("min").signed_integer(-SOTTO_NUMBER_MAX, SOTTO_NUMBER_MAX - 1);
    t.max = table.at("max").signed_integer(t.min + 1, SOTTO_NUMBER_MAX);
    t.publish_min = table.at("publish_min").signed_integer(-SOTTO_NUMBER_MAX, t.min);
    t.publish_max = table.at("publish_max").signed_integer(t.max, SOTTO_NUMBER_MAX);
    t.length = read_small(table.at("length"), 1, SOTTO_COORDINATES_MAX);
    t.l1_half = table.at("l1_half").integer(0, discrete_laplace_table::l1_not_enforced);
    return t;
}

void check_lattice(const json_node &table, const discrete_laplace_table &t, bool is_vector) {
    if (!is_vector && t.length != 1) {
        table.fail("length is not 1");
    }
    if (const std::string what = flaw(t); !what.empty()) {
        table.fail(what);
    }
}

std::optional<std::uint32_t> digits_needed(double unit_epsilon, double width, double sensitivity,
                                           double terms) {
    const auto count = [&](double tail) {
        std::uint32_t b = 1;
        while (b <= SOTTO_DIGITS_MAX &&
               std::ldexp(unit_epsilon, static_cast<int>(b)) < width * unit_epsilon + tail) {
            ++b;
        }
        return b;
    };
    const auto bit_length = [](double x) { return x < 1 ? 0 : std::ilogb(x) + 1; };
    const double tail =
        18 + bit_length(1 / (unit_epsilon * sensitivity) * (1 + 1e-12)) + bit_length(terms) - 1;
    std::uint32_t b = count(tail);
    if (b > SOTTO_DIGITS_MAX) {
        b = std::max<std::uint32_t>(SOTTO_DIGITS_MAX, count(15));
    }
    const double most = std::ldexp(1, 31);
    return b <= SOTTO_DIGITS_MAX && width + std::ldexp(2, static_cast<int>(b)) < most
               ? std::optional(b)
               : std::nullopt;
}

std::uint32_t lattice_random_bytes(std::uint32_t digit_count) { return 8 + 4 + 8 * digit_count; }

std::string noise_text(const laplace_noise_table &noise, const std::string &source) {
    return fmt::format("{} (noise on {} is not 0), its size by {} digits of {} bits, the first {}",
                       noise.nonzero, source, noise.size.digits.size(), noise.size.digit_bits,
                       number(noise.size.digits.front()));
}

std::string lattice_text(const discrete_laplace_table &t) {
    std::string text = "out of 2^64 (--format json has all digits):\n";
    for (std::size_t i = t.noise.size(); i-- > 0;) {
        const laplace_noise_table &noise = t.noise[i];
        text += level_line(i, noise_text(noise, source_of(i, t.noise.size())));
    }
    return text + fmt::format("    published: {} to {}\n", t.publish_min, t.publish_max);
}

nlohmann::ordered_json noise_json(const laplace_noise_table &noise) {
    std::vector<std::string> digits;
    for (const wide_threshold &digit : noise.size.digits) {
        digits.push_back(number(digit));
    }
    return {{"nonzero", std::to_string(noise.nonzero)},
            {"digit_bits", noise.size.digit_bits},
            {"digits", digits}};
}

nlohmann::ordered_json lattice_json(const discrete_laplace_table &t) {
    nlohmann::ordered_json noise = nlohmann::ordered_json::array();
    for (const laplace_noise_table &n : t.noise) {
        noise.push_back(noise_json(n));
    }
    return {{"noise", noise},
            {"min", t.min},
            {"max", t.max},
            {"publish_min", t.publish_min},
            {"publish_max", t.publish_max},
            {"length", t.length},
            {"l1_half", t.l1_half}};
}

} // namespace sotto::aggregator
