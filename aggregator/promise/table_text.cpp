// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/table_text.hpp"

#include "aggregator/base/big_integer.hpp"
#include "aggregator/registry/read_ladder.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string line(std::size_t level, const std::string &what) {
    return fmt::format("    level {}: {}\n", level, what);
}

// The input of a level's noise: the level above it, or the value.
std::string source(std::size_t level, std::size_t count) {
    return level + 1 == count ? "the value" : fmt::format("level {}", level + 1);
}

std::string channel_text(const bit_channel_table &c) {
    return fmt::format("0 becomes 1 by {}, 1 stays 1 by {}, out of 2^{}", c.one_if_zero,
                       c.one_if_one, c.bits);
}

std::string lines_of(const std::vector<threshold> &flip) {
    std::string text;
    for (std::size_t i = flip.size(); i-- > 0;) {
        text += line(i, fmt::format("{} ({} is flipped)", flip[i], source(i, flip.size())));
    }
    return text;
}

struct thresholds_writer {
    std::string operator()(const randomized_response_table &t) const {
        return "out of 2^64:\n" + lines_of(t.flip);
    }

    std::string operator()(const one_bit_mean_table &t) const {
        return fmt::format("out of 2^64; the value is first rounded to a bit, 1 by (value - {}) * "
                           "{} / 2^32:\n",
                           t.min, t.scale) +
               lines_of(t.flip);
    }

    std::string operator()(const k_randomized_response_table &t) const {
        std::string text = "out of 2^64:\n";
        for (std::size_t i = t.keep.size(); i-- > 0;) {
            text += line(i, fmt::format("{} ({} is kept, else it is one of all {} at random)",
                                        t.keep[i], source(i, t.keep.size()), t.size));
        }
        return text;
    }

    std::string operator()(const unary_table &t) const {
        std::string text = fmt::format("for each of {} bits:\n", t.size);
        for (std::size_t i = t.channel.size(); i-- > 0;) {
            text += line(i, fmt::format("{} (of {})", channel_text(t.channel[i]),
                                        source(i, t.channel.size())));
        }
        return text;
    }

    std::string operator()(const rappor_table &t) const {
        const std::size_t count = t.permanent.size();
        std::string text = fmt::format("for each of {} bits:\n", t.bits);
        for (std::size_t i = count; i-- > 0;) {
            text += line(i, fmt::format("permanent: {} (of {})", channel_text(t.permanent[i]),
                                        i + 1 == count ? "the value's bits"
                                                       : fmt::format("those of level {}", i + 1)));
            text += line(i, fmt::format("reported: {} (of {})", channel_text(t.instantaneous[i]),
                                        (t.chained >> i & 1) != 0
                                            ? fmt::format("the report of level {}", i + 1)
                                            : "the permanent bits"));
        }
        return text;
    }

    std::string operator()(const discrete_laplace_table &t) const {
        std::string text = "out of 2^64 (--format json has all digits):\n";
        for (std::size_t i = t.noise.size(); i-- > 0;) {
            const laplace_noise_table &noise = t.noise[i];
            text += line(i, fmt::format("{} (noise on {} is not 0), its size by {} digits of {} "
                                        "bits, the first {}",
                                        noise.nonzero, source(i, t.noise.size()),
                                        noise.size.digits.size(), noise.size.digit_bits,
                                        number(noise.size.digits.front())));
        }
        return text + fmt::format("    published: {} to {}\n", t.publish_min, t.publish_max);
    }

    std::string operator()(const laplace_threshold_table &t) const {
        return fmt::format("for false as 0 and true as {}, one from {} on, ", t.grid, t.threshold) +
               (*this)(t.lattice);
    }

    static std::string number(const wide_threshold &limbs) {
        return decimal_text({limbs.begin(), limbs.end()});
    }
};

std::string quoted(const std::string &text) { return '"' + text + '"'; }

std::string quoted_list(const std::vector<threshold> &all) {
    return fmt::format("[\"{}\"]", fmt::join(all, "\", \""));
}

std::string channel_json(const bit_channel_table &c) {
    return fmt::format(R"({{"bits": {}, "one_if_zero": "{}", "one_if_one": "{}"}})", c.bits,
                       c.one_if_zero, c.one_if_one);
}

std::string channels_json(const std::vector<bit_channel_table> &all) {
    std::vector<std::string> parts;
    for (const bit_channel_table &c : all) {
        parts.push_back(channel_json(c));
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
}

struct json_writer {
    std::string operator()(const randomized_response_table &t) const {
        return fmt::format(R"({{"bits": 64, "flip": {}}})", quoted_list(t.flip));
    }

    std::string operator()(const one_bit_mean_table &t) const {
        return fmt::format(R"({{"bits": 64, "flip": {}, "scale": "{}"}})", quoted_list(t.flip),
                           t.scale);
    }

    std::string operator()(const k_randomized_response_table &t) const {
        return fmt::format(R"({{"bits": 64, "keep": {}, "size": {}}})", quoted_list(t.keep),
                           t.size);
    }

    std::string operator()(const unary_table &t) const {
        return fmt::format(R"({{"channel": {}, "size": {}, "max_members": {}}})",
                           channels_json(t.channel), t.size, t.max_members);
    }

    std::string operator()(const rappor_table &t) const {
        return fmt::format(
            R"({{"permanent": {}, "instantaneous": {}, "bits": {}, "hashes": {}, "cohorts": {}, )"
            R"("max_bytes": {}, "max_values": {}, "protects": "{}", "chained": {}}})",
            channels_json(t.permanent), channels_json(t.instantaneous), t.bits, t.hashes, t.cohorts,
            t.max_bytes, t.max_values, t.protects_sequence ? "sequence" : "value", t.chained);
    }

    std::string operator()(const discrete_laplace_table &t) const {
        std::vector<std::string> noise;
        for (const laplace_noise_table &n : t.noise) {
            std::vector<std::string> digits;
            for (const wide_threshold &digit : n.size.digits) {
                digits.push_back(quoted(thresholds_writer::number(digit)));
            }
            noise.push_back(fmt::format(R"({{"nonzero": "{}", "digit_bits": {}, "digits": [{}]}})",
                                        n.nonzero, n.size.digit_bits, fmt::join(digits, ", ")));
        }
        return fmt::format(R"({{"noise": [{}], "min": {}, "max": {}, "publish_min": {}, )"
                           R"("publish_max": {}, "length": {}, "l1_half": {}}})",
                           fmt::join(noise, ", "), t.min, t.max, t.publish_min, t.publish_max,
                           t.length, t.l1_half);
    }

    std::string operator()(const laplace_threshold_table &t) const {
        return fmt::format(R"({{"grid": {}, "threshold": {}, "lattice": {}}})", t.grid, t.threshold,
                           (*this)(t.lattice));
    }
};

} // namespace

std::string thresholds_text(const metric &m) {
    return "  Thresholds in the device's flash, " + std::visit(thresholds_writer{}, m.table);
}

std::string table_json(const metric &m) { return std::visit(json_writer{}, m.table); }

std::vector<std::pair<const char *, double>> probabilities(const metric &m, const level_law &law) {
    std::vector<std::pair<const char *, double>> all;
    for (const named_probability &one : probabilities_of(m)) {
        all.emplace_back(one.name, law.*one.member);
    }
    return all;
}

} // namespace sotto::aggregator
