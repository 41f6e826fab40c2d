// SPDX-License-Identifier: Apache-2.0
// The tests' own knowledge of each mechanism, apart from the code under test: `every_mechanism` has
// one entry each. The tests of levels, laws, independence, audit and every outcome go through it.
#ifndef SOTTO_TESTS_MECHANISMS_HPP
#define SOTTO_TESTS_MECHANISMS_HPP

#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/rappor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace sotto::test {

// A draw takes its next random bytes as a number, low byte first, and asks this of it.
struct decision {
    bool is_choice;  // among `number` equal parts of all numbers; else: is it below `number`?
    uint8_t bytes;   // 1 to 8
    uint64_t number; // at least 1
    std::vector<uint64_t> also = {}; // is it below these, too? At least 1 each
};

inline uint64_t number_of(const sotto_threshold &t) {
    return static_cast<uint64_t>(t.limb[1]) << 32 | t.limb[0];
}
inline decision below(const sotto_threshold &t) { return {false, 8, number_of(t)}; }

// The first and the last number of each part that the ends cut off.
inline std::map<uint64_t, double> parts(const decision &d) {
    std::set<uint64_t> begins = {0, d.number};
    begins.insert(d.also.begin(), d.also.end());
    std::map<uint64_t, double> result;
    for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
        const uint64_t last =
            std::next(begin) == begins.end() ? ~uint64_t{0} : *std::next(begin) - 1;
        result[*begin] += std::ldexp(1, -64);
        result[last] += std::ldexp(static_cast<double>(last - *begin), -64);
    }
    return result;
}

// One number for each outcome of a decision, and the outcome's probability.
inline std::map<uint64_t, double> outcomes(const decision &d) {
    if (!d.also.empty()) {
        return parts(d);
    }
    __extension__ using wide = unsigned __int128;
    const wide range = wide{1} << 8 * d.bytes;
    std::map<uint64_t, double> result;
    for (wide part = 0; d.is_choice && part < d.number; ++part) {
        const wide first = (part * range + d.number - 1) / d.number;
        result[static_cast<uint64_t>(first)] = 1.0 / static_cast<double>(d.number);
    }
    if (!d.is_choice) {
        const double p = std::ldexp(static_cast<double>(d.number), -8 * d.bytes);
        result = {{d.number - 1, p}, {d.number, 1 - p}};
    }
    return result;
}

using word_law = std::map<uint32_t, double>;

struct bit_law {
    double one_if_zero, one_if_one;
};

inline bit_law then(bit_law first, bit_law second) {
    const auto through = [&](double p) {
        return p * second.one_if_one + (1 - p) * second.one_if_zero;
    };
    return {through(first.one_if_zero), through(first.one_if_one)};
}

inline double probability(const sotto_threshold &t, unsigned bits) {
    return std::ldexp(t.limb[1] * 4294967296.0 + t.limb[0], -static_cast<int>(bits));
}

inline bit_law law_of(const sotto_bit_channel &c) {
    return {probability(c.one_if_zero, c.bits), probability(c.one_if_one, c.bits)};
}

// q from the lowest digit: q / (1 + q).
inline double ratio_of(const sotto_geometric &g) {
    const double p =
        (g.digit[g.digit_limbs - 1] + g.digit[g.digit_limbs - 2] / 4294967296.0) / 4294967296.0;
    return p / (1 - p);
}

class mechanism {
  public:
    virtual ~mechanism() = default;
    // All that drawing a word decides, where words are few; nothing where other tests have it.
    virtual std::vector<decision> decisions(const sotto_metric &, uint32_t) const { return {}; }
    // The channel from a bit of the level above, or from the true one, where words are bits.
    virtual std::optional<bit_law> step(const sotto_metric &, uint32_t) const { return {}; }
    // A bit of the first word of a report, and how often it is a one when the true word is `truth`.
    // Nothing where reports of one device are not independent.
    virtual int bit(uint32_t published, uint32_t truth) const = 0;
    virtual std::optional<double> chance(const sotto_metric &, uint32_t level,
                                         uint32_t truth) const = 0;
    // Is a level drawn from what the level above it published?
    virtual bool is_from_published(const sotto_metric &, uint32_t) const { return true; }
    // True words are 0 to this - 1, where words are few.
    virtual uint32_t truths(const sotto_metric &m) const {
        return m.code->size(m) > 2 ? m.code->size(m) : 2;
    }
};

// How many words a value can be; a bit, where a report names no value.
inline uint32_t word_count(const sotto_metric &m) {
    return m.code->size(m) > 2 ? m.code->size(m) : 2;
}

// A value is one word of few: its law follows from what a draw decides.
class few_words : public mechanism {
  public:
    word_law below_word(const sotto_metric &m, uint32_t level, uint32_t word) const {
        std::map<std::vector<uint8_t>, double> branches = {{{}, 1}};
        for (const decision &d : decisions(m, level)) {
            std::map<std::vector<uint8_t>, double> next;
            for (const auto &[head, weight] : branches) {
                for (const auto &[number, p] : outcomes(d)) {
                    std::vector<uint8_t> random = head;
                    for (unsigned i = 0; i < d.bytes; ++i) {
                        random.push_back(static_cast<uint8_t>(number >> 8 * i));
                    }
                    next[random] += weight * p;
                }
            }
            branches = next;
        }
        word_law law;
        for (const auto &[random, weight] : branches) {
            uint32_t drawn = 0;
            if (draw_word(m, level, 0, word, {random.data(), random.size()}, &drawn) != SOTTO_OK) {
                std::abort();
            }
            law[drawn] += weight;
        }
        return law;
    }

    word_law law(const sotto_metric &m, uint32_t level, uint32_t truth) const {
        word_law now = {{truth, 1}};
        for (uint32_t i = m.level_count; i-- > level;) {
            word_law next;
            for (const auto &[above, weight] : now) {
                for (const auto &[word, p] : below_word(m, i, above)) {
                    next[word] += weight * p;
                }
            }
            now = next;
        }
        return now;
    }

    std::optional<bit_law> step(const sotto_metric &m, uint32_t level) const override {
        return bit_law{below_word(m, level, 0)[1], below_word(m, level, 1)[1]};
    }
    int bit(uint32_t published, uint32_t truth) const override { return published == truth; }
    std::optional<double> chance(const sotto_metric &m, uint32_t level,
                                 uint32_t truth) const override {
        return law(m, level, truth)[truth];
    }
};

class randomized_response_test final : public few_words {
    std::vector<decision> decisions(const sotto_metric &m, uint32_t level) const override {
        return {below(m.table.randomized_response->flip[level])};
    }
};

class one_bit_mean_test final : public few_words {
    std::vector<decision> decisions(const sotto_metric &m, uint32_t level) const override {
        return {below(m.table.one_bit_mean->flip[level])};
    }
};

class k_randomized_response_test final : public few_words {
    std::vector<decision> decisions(const sotto_metric &m, uint32_t level) const override {
        const sotto_k_randomized_response &table = *m.table.k_randomized_response;
        return {below(table.keep[level]), {true, 8, table.size}};
    }
};

// One number says how many ends of the row are passed; which row it is, the word before says.
class exponential_test final : public few_words {
    std::vector<decision> decisions(const sotto_metric &m, uint32_t level) const override {
        const sotto_exponential &table = *m.table.exponential;
        const uint32_t each = table.size * (table.size - 1u);
        decision at = {false, 8, 1};
        for (uint32_t i = 0; i < each; ++i) {
            at.also.push_back(std::max(uint64_t{1}, number_of(table.rows[level * each + i])));
        }
        return {at};
    }
};

// More words are published than there are true ones. The top's window is the last number of a draw.
template <typename Table> class windows_test final : public few_words {
  public:
    explicit windows_test(const Table *(*table_of)(const sotto_metric &)) : table_of_(table_of) {}
    std::vector<decision> decisions(const sotto_metric &m, uint32_t level) const override {
        const Table &table = *table_of_(m);
        std::vector<decision> asked = {below(table.keep[level]),
                                       {true, 8, table.bins + 2u * table.half}};
        if (level + 1u == m.level_count) {
            asked.push_back({true, 8, 2u * table.half + 1});
        }
        return asked;
    }
    uint32_t truths(const sotto_metric &m) const override { return table_of_(m)->bins; }

  private:
    const Table *(*table_of_)(const sotto_metric &);
};

// The top's place in the set is the last number of a draw.
class design_test final : public few_words {
    std::vector<decision> decisions(const sotto_metric &m, uint32_t level) const override {
        const sotto_design &table = *m.table.design;
        std::vector<decision> asked = {below(table.keep[level]), {true, 8, table.answers}};
        if (level + 1u == m.level_count) {
            asked.push_back({true, 8, table.count});
        }
        return asked;
    }
    uint32_t truths(const sotto_metric &m) const override { return m.table.design->size; }
};

// A set's word is drawn at random: exhaustive/test_ladder.py has the law of sets. The set here has
// this one member. A pair of that number is of two members, which no such set has.
class pad_and_sample_test final : public mechanism {
    int bit(uint32_t published, uint32_t truth) const override { return published == truth; }
    std::optional<double> chance(const sotto_metric &m, uint32_t level, uint32_t) const override {
        const sotto_pad_and_sample &table = *m.table.pad_and_sample;
        double kept = 1;
        for (uint32_t i = level; i < m.level_count; ++i) {
            kept *= probability(table.keep[i], 64);
        }
        const double drawn = table.named == 1 ? 1.0 / table.max_members : 0;
        return kept * drawn + (1 - kept) / m.code->size(m);
    }
};

class unary_test final : public mechanism {
    std::optional<bit_law> step(const sotto_metric &m, uint32_t level) const override {
        return law_of(m.table.unary->channel[level]);
    }
    int bit(uint32_t published, uint32_t) const override { return static_cast<int>(published & 1); }
    std::optional<double> chance(const sotto_metric &m, uint32_t level,
                                 uint32_t truth) const override {
        bit_law law = {0, 1};
        for (uint32_t i = m.level_count; i-- > level;) {
            law = then(law, *step(m, i));
        }
        return (truth & 1) != 0 ? law.one_if_one : law.one_if_zero;
    }
};

// Is a number above the true one?
class number_test : public mechanism {
    virtual const sotto_laplace_noise &noise(const sotto_metric &m, uint32_t level) const = 0;
    int bit(uint32_t published, uint32_t truth) const final {
        return static_cast<int32_t>(published) > static_cast<int32_t>(truth);
    }
    std::optional<double> chance(const sotto_metric &m, uint32_t level, uint32_t) const final {
        const double q = ratio_of(noise(m, level).size);
        return q / (1 + q);
    }
};

class discrete_laplace_test final : public number_test {
    const sotto_laplace_noise &noise(const sotto_metric &m, uint32_t level) const override {
        return m.table.discrete_laplace->noise[level];
    }
};

class sorted_points_test final : public number_test {
    const sotto_laplace_noise &noise(const sotto_metric &m, uint32_t) const override {
        return *m.table.sorted_points->noise;
    }
};

// On a fine grid, where levels are drawn from numbers that nobody sees.
class laplace_threshold_test final : public mechanism {
    int bit(uint32_t published, uint32_t truth) const override { return published == truth; }
    std::optional<double> chance(const sotto_metric &m, uint32_t level,
                                 uint32_t truth) const override {
        const sotto_laplace_threshold &table = *m.table.laplace_threshold;
        const double q = ratio_of(table.lattice.noise[level].size);
        const int32_t steps =
            truth == 0 ? table.threshold : table.lattice.max - table.threshold + 1;
        return 1 - std::pow(q, steps) / (1 + q);
    }
    bool is_from_published(const sotto_metric &, uint32_t) const override { return false; }
};

// Permanent noise comes again: statistics/rappor_test.cpp has the laws.
class rappor_test final : public mechanism {
    int bit(uint32_t published, uint32_t) const override { return static_cast<int>(published & 1); }
    std::optional<double> chance(const sotto_metric &, uint32_t, uint32_t) const override {
        return std::nullopt;
    }
    bool is_from_published(const sotto_metric &m, uint32_t level) const override {
        return is_chained(*m.table.rappor, level);
    }
};

// A report tells whether it is the hash value: exhaustive/test_hashed.py has the laws.
class hashed_test final : public mechanism {
    int bit(uint32_t published, uint32_t truth) const override { return published == truth; }
    std::optional<double> chance(const sotto_metric &, uint32_t, uint32_t) const override {
        return std::nullopt;
    }
};

// By SOTTO_MECHANISM_...; a number without an entry ends a test.
inline const std::map<uint8_t, const mechanism *> &every_mechanism() {
    static const randomized_response_test flips;
    static const laplace_threshold_test fine_grid;
    static const k_randomized_response_test categories;
    static const unary_test bits;
    static const rappor_test rappor;
    static const discrete_laplace_test numbers;
    static const one_bit_mean_test means;
    static const exponential_test scores;
    static const windows_test<sotto_window_response> windows(
        [](const sotto_metric &m) { return m.table.window_response; });
    static const windows_test<sotto_window_mean> mean_windows(
        [](const sotto_metric &m) { return m.table.window_mean; });
    static const hashed_test hashes;
    static const design_test designs;
    static const sorted_points_test in_order;
    static const pad_and_sample_test samples;
    static const std::map<uint8_t, const mechanism *> mechanisms = {
        {SOTTO_MECHANISM_RANDOMIZED_RESPONSE, &flips},
        {SOTTO_MECHANISM_LAPLACE_THRESHOLD, &fine_grid},
        {SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE, &categories},
        {SOTTO_MECHANISM_OPTIMIZED_UNARY, &bits},
        {SOTTO_MECHANISM_UNARY, &bits},
        {SOTTO_MECHANISM_RAPPOR, &rappor},
        {SOTTO_MECHANISM_BASIC_RAPPOR, &rappor},
        {SOTTO_MECHANISM_DISCRETE_LAPLACE, &numbers},
        {SOTTO_MECHANISM_ONE_BIT_MEAN, &means},
        {SOTTO_MECHANISM_EXPONENTIAL, &scores},
        {SOTTO_MECHANISM_WINDOW_RESPONSE, &windows},
        {SOTTO_MECHANISM_WINDOW_MEAN, &mean_windows},
        {SOTTO_MECHANISM_HASHED, &hashes},
        {SOTTO_MECHANISM_DESIGN, &designs},
        {SOTTO_MECHANISM_SORTED_POINTS, &in_order},
        {SOTTO_MECHANISM_PAD_AND_SAMPLE, &samples},
    };
    return mechanisms;
}

inline const mechanism &mechanism_of(const sotto_metric &m) {
    return *every_mechanism().at(m.mechanism);
}

} // namespace sotto::test
#endif
