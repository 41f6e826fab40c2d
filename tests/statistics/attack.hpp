// SPDX-License-Identifier: Apache-2.0
// An attacker knows that the value is one of two, watches what a device publishes of it and asks
// which it is. He makes one number of all that he saw; it rises with the evidence for the first
// value. From draws of his own he learns where to draw the line, and how much a pattern of bits
// speaks for a one. How often the line is passed gives a lower bound of epsilon (Clopper and
// Pearson 1934). It may not exceed the certified one, and should come near.
#ifndef SOTTO_TESTS_ATTACK_HPP
#define SOTTO_TESTS_ATTACK_HPP

#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/rappor.hpp"

#include "sotto_testing.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <vector>

// To learn from, and to judge by.
inline constexpr uint32_t lessons = 100000, draws = 300000;
// For each of two probabilities; fifty bounds leave 1e-9 in all.
inline constexpr double false_alarm = 1e-11;

// Draws the words of one device after the other.
class attack {
  public:
    explicit attack(uint8_t seed) {
        sotto_testing_init(&testing_, &seed, 1, 0);
        port_ = sotto_testing_port(&testing_);
    }
    attack(const attack &) = delete;
    attack &operator=(const attack &) = delete;

    // All levels of one word of a value, the top last.
    std::vector<uint32_t> ladder(const sotto_metric &m, uint32_t value) {
        std::vector<uint32_t> levels(m.level_count);
        uint32_t word = value;
        for (uint32_t level = m.level_count; level-- > 0;) {
            const size_t size = sotto::level_bytes(m, level);
            draw(size);
            EXPECT_EQ(sotto::draw_word(m, level, 0, word, {noise_.data(), size}, &word), SOTTO_OK);
            levels[level] = sotto::published_word(m, word);
        }
        return levels;
    }

    // The levels of a ladder, and after them all levels above it.
    std::vector<uint32_t> extended(const sotto_metric &m, uint32_t value) {
        std::vector<uint32_t> levels = ladder(m, value);
        extend(m, value, levels);
        return levels;
    }

    // The reports of every level on permanent bits, those above the ladder included.
    std::vector<uint32_t> reports(const sotto_metric &m, uint32_t value) {
        const std::vector<uint32_t> permanent = ladder(m, value);
        std::vector<uint32_t> levels(m.level_count);
        for (uint32_t level = m.level_count; level-- > 0;) {
            const bool chained = sotto::is_chained(*m.table.rappor, level);
            levels[level] = report(m, level, chained ? levels[level + 1] : permanent[level]);
        }
        extend(m, permanent.back(), levels);
        return levels;
    }

    // So many reports of the top level on the same permanent bits.
    std::vector<uint32_t> repeated(const sotto_metric &m, uint32_t value, size_t count) {
        const uint32_t permanent = ladder(m, value).back();
        std::vector<uint32_t> reports(count);
        for (uint32_t &word : reports) {
            word = report(m, m.level_count - 1u, permanent);
        }
        return reports;
    }

  private:
    uint32_t report(const sotto_metric &m, uint32_t level, uint32_t from) {
        draw(m.code->reports->bytes(m, level));
        return m.code->reports->draw(m, level, 0, from, noise_.data());
    }
    void draw(size_t size) {
        EXPECT_EQ(port_.entropy->read(port_.entropy->context, noise_.data(), size),
                  static_cast<int32_t>(size));
    }
    void extend(const sotto_metric &m, uint32_t true_word, std::vector<uint32_t> &levels) {
        for (uint32_t step = 0; step < m.forward_count; ++step) {
            const size_t size = sotto::forward_bytes(m, step);
            draw(size);
            uint32_t word = 0;
            EXPECT_EQ(sotto::draw_forward(m, step, 0, levels.back(), true_word,
                                          {noise_.data(), size}, &word),
                      SOTTO_OK);
            levels.push_back(word);
        }
    }

    sotto_testing testing_{};
    sotto_port port_{};
    std::array<uint8_t, 1024> noise_{};
};

// Epsilon is at least this when the first value passed so often out of `trials` tries, and the
// second.
inline double bound(double likely, double unlikely, double trials) {
    using binomial = boost::math::binomial_distribution<>;
    const double low = binomial::find_lower_bound_on_p(trials, likely, false_alarm);
    const double high = binomial::find_upper_bound_on_p(trials, unlikely, false_alarm);
    return low > 0 ? std::log(low / high) : 0;
}

// The bound from `number` of draws of the first and of the second value.
template <typename Number> double epsilon_at_least(Number number) {
    std::map<double, std::array<double, 2>, std::greater<>> seen;
    for (uint32_t i = 0; i < lessons; ++i) {
        ++seen[number(true)][0];
        ++seen[number(false)][1];
    }
    double line = 0, best = 0, passed[2] = {};
    for (const auto &[value, counts] : seen) {
        passed[0] += counts[0];
        passed[1] += counts[1];
        // The bound to expect from the judging draws.
        constexpr double more = draws / static_cast<double>(lessons);
        const double here = bound(more * passed[0], more * passed[1], draws);
        if (here > best) {
            best = here;
            line = value;
        }
    }
    double likely = 0, unlikely = 0;
    for (uint32_t i = 0; i < draws; ++i) {
        likely += number(true) >= line ? 1 : 0;
        unlikely += number(false) >= line ? 1 : 0;
    }
    return bound(likely, unlikely, draws);
}

// The epsilon that is seen where bits are noised each on its own. `looks` gives what was published
// of a value, a word a look. Every bit is judged by its pattern over the looks. At most ten of
// them.
template <typename Looks>
double epsilon_of_bits(Looks looks, uint32_t first_value, uint32_t second_value) {
    const auto pattern = [](const std::vector<uint32_t> &words, uint32_t lane) {
        size_t bits = 0;
        for (const uint32_t word : words) {
            bits = 2 * bits + (word >> lane & 1);
        }
        return bits;
    };
    std::array<std::array<double, 2>, 1024> learnt{}; // by pattern, by true bit
    for (auto &pair : learnt) {
        pair = {1, 1};
    }
    const uint32_t differ = first_value ^ second_value;
    for (uint32_t i = 0; i < lessons; ++i) {
        const std::vector<uint32_t> words = looks(first_value);
        for (uint32_t lane = 0; lane < 32; ++lane) {
            if ((differ >> lane & 1) != 0) {
                ++learnt[pattern(words, lane)][first_value >> lane & 1];
            }
        }
    }
    return epsilon_at_least([&](bool is_first) {
        const std::vector<uint32_t> words = looks(is_first ? first_value : second_value);
        double sum = 0;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            if ((differ >> lane & 1) != 0) {
                const std::array<double, 2> &pair = learnt[pattern(words, lane)];
                const double for_a_one = std::log(pair[1] / pair[0]);
                sum += (first_value >> lane & 1) != 0 ? for_a_one : -for_a_one;
            }
        }
        return sum;
    });
}

#endif
