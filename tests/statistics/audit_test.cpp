// SPDX-License-Identifier: Apache-2.0
// An attacker who sees a release at every level of its ladder and knows that the value is one of
// two watches the event that tells them apart best. From how often it happens follows a lower bound
// of epsilon, at a confidence of 1 - 1e-12 for each probability: it may not exceed what is
// certified, and for booleans it must come within a tenth of it.
#include "mechanism/ladder.hpp"
#include "mechanism/rappor.hpp"

#include "metrics.h"
#include "sotto_testing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

SOTTO_TEST_PROGRAM();

namespace {

constexpr uint32_t draws = 400000;
constexpr double log_confidence = 27.7; // ln(1 / 1e-12)

// Kullback-Leibler divergence of Bernoulli(p) from Bernoulli(q), nats.
double divergence(double p, double q) {
    const double a = p > 0 ? p * std::log(p / q) : 0;
    const double b = p < 1 ? (1 - p) * std::log((1 - p) / (1 - q)) : 0;
    return a + b;
}

// The end of the Chernoff interval of a rate seen `draws` times, towards `end` (0 or 1).
double bound(double rate, double end) {
    double inside = rate, outside = end;
    for (int i = 0; i < 100; ++i) {
        const double middle = (inside + outside) / 2;
        const bool holds =
            middle > 0 && middle < 1 && draws * divergence(rate, middle) <= log_confidence;
        (holds ? inside : outside) = middle;
    }
    return outside;
}

class attack {
  public:
    explicit attack(uint8_t seed) {
        sotto_testing_init(&testing_, &seed, 1, 0);
        port_ = sotto_testing_port(&testing_);
    }

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

    // The same, and after it all levels above the ladder.
    std::vector<uint32_t> extended(const sotto_metric &m, uint32_t value) {
        std::vector<uint32_t> levels = ladder(m, value);
        extend(m, value, levels);
        return levels;
    }

    // The reports of every level on permanent bits, those above the ladder included.
    std::vector<uint32_t> reports(const sotto_metric &m, uint32_t value) {
        const std::vector<uint32_t> permanent = ladder(m, value);
        const sotto_rappor &table = *m.table.rappor;
        std::vector<uint32_t> levels(m.level_count);
        for (uint32_t level = m.level_count; level-- > 0;) {
            const uint32_t from =
                sotto::is_chained(table, level) ? levels[level + 1] : permanent[level];
            draw(sotto::bernoulli_lanes_bytes(table.instantaneous[level]));
            levels[level] = sotto::instantaneous_bits(table, level, 0, from, noise_.data());
        }
        extend(m, permanent.back(), levels);
        return levels;
    }

  private:
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

double epsilon_at_least(const std::function<bool(bool)> &event) {
    double likely = 0, unlikely = 0;
    for (uint32_t i = 0; i < draws; ++i) {
        likely += event(true);
        unlikely += event(false);
    }
    return std::log(bound(likely / draws, 0) / bound(unlikely / draws, 1));
}

const sotto_metric &metric(uint32_t id) {
    return *std::find_if(every_registry.metrics,
                         every_registry.metrics + every_registry.metric_count,
                         [&](const sotto_metric &m) { return m.id == id; });
}

TEST(Audit, BooleansAtEveryLevelAndTogether) {
    const double stated[] = {0.5, 1, 2};
    attack a(1);
    const sotto_metric &m = metric(EVERY_FLAG);
    for (uint32_t level = 0; level < 3; ++level) {
        const double found =
            epsilon_at_least([&](bool truth) { return a.ladder(m, truth)[level] == 1; });
        EXPECT_LE(found, stated[level]);
        EXPECT_GE(found, 0.9 * stated[level]);
    }
    // Colluding over all levels gains nothing over the highest.
    const double together = epsilon_at_least([&](bool truth) {
        const auto seen = a.ladder(m, truth);
        return seen[0] == 1 && seen[1] == 1 && seen[2] == 1;
    });
    EXPECT_LE(together, 2.0);
    EXPECT_GE(together, 1.8);
}

// Independent noise at each level, in place of a ladder: the same attacker finds the sum.
TEST(Audit, CatchesLevelsThatDoNotShareTheirNoise) {
    attack a(2);
    const sotto_metric &m = metric(EVERY_FLAG);
    const double together = epsilon_at_least([&](bool truth) {
        return a.ladder(m, truth)[0] == 1 && a.ladder(m, truth)[1] == 1 &&
               a.ladder(m, truth)[2] == 1;
    });
    EXPECT_GT(together, 2.5) << "0.5 + 1 + 2 is lost, 2 is stated";
}

TEST(Audit, Categories) {
    attack a(3);
    const sotto_metric &m = metric(EVERY_PHASE);
    const double found =
        epsilon_at_least([&](bool truth) { return a.ladder(m, truth ? 2 : 4)[2] == 2; });
    EXPECT_LE(found, 4.0);
    EXPECT_GE(found, 3.5);
}

TEST(Audit, UnaryCategories) {
    attack a(4);
    for (const uint32_t id : {EVERY_PHASE_OPTIMIZED, EVERY_PHASE_UNARY}) {
        const double found = epsilon_at_least([&](bool truth) {
            return (a.ladder(metric(id), truth ? 1u << 3 : 1u << 7)[2] & 0x88u) == 0x08u;
        });
        EXPECT_LE(found, 4.0) << id;
        EXPECT_GE(found, 3.4) << id;
    }
}

TEST(Audit, Sets) {
    attack a(5);
    const double found = epsilon_at_least([&](bool truth) {
        return (a.ladder(metric(EVERY_FAULTS), truth ? 0x07u : 0x38u)[2] & 0x3fu) == 0x07u;
    });
    EXPECT_LE(found, 4.0);
    EXPECT_GE(found, 3.0);
}

TEST(Audit, IntegersFromEndToEnd) {
    attack a(6);
    const double found = epsilon_at_least([&](bool truth) {
        return static_cast<int32_t>(a.ladder(metric(EVERY_SPEED), truth ? 400 : 0)[2]) == 400;
    });
    EXPECT_LE(found, 2.0);
    EXPECT_GE(found, 1.8);
}

TEST(Audit, Means) {
    attack a(7);
    const double found = epsilon_at_least(
        [&](bool truth) { return a.ladder(metric(EVERY_TEMPERATURE), truth)[2] == 1; });
    EXPECT_LE(found, 2.0);
    EXPECT_GE(found, 1.8);
}

TEST(Audit, OneHotRappor) {
    attack a(8);
    // Certified by the compiler: 0.5371 for one report of permanent noise 1/2, (1/2, 3/4).
    const double found = epsilon_at_least([&](bool truth) {
        return (a.reports(metric(EVERY_PHASE_RAPPOR), truth ? 1u << 3 : 1u << 7)[0] & 0x88u) ==
               0x08u;
    });
    EXPECT_LE(found, 0.53715);
    EXPECT_GE(found, 0.45);
}

// Two strings of two bits each, none in common; certified by the compiler: 1.9925 for the ladder
// and 2.9739 with both levels above it.
TEST(Audit, Strings) {
    attack a(10);
    const sotto_metric &m = metric(EVERY_AIRCRAFT);
    const auto all = [&](size_t levels) {
        return epsilon_at_least([&, levels](bool truth) {
            const auto seen = a.reports(m, truth ? 0x88u : 0x8800u);
            return std::all_of(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(levels),
                               [](uint32_t word) { return (word & 0x8888u) == 0x88u; });
        });
    };
    const double ladder = all(3), above = all(5);
    EXPECT_LE(ladder, 1.99243);
    EXPECT_GE(ladder, 1.4);
    EXPECT_LE(above, 2.97384);
    EXPECT_GE(above, 1.8);
}

// (4, 4) and (-4, -4) are as far apart as vectors of the metric may be.
TEST(Audit, Vectors) {
    attack a(11);
    const sotto_metric &m = metric(EVERY_AXES);
    const auto both = [&](size_t level) {
        return epsilon_at_least([&, level](bool truth) {
            const uint32_t value = truth ? 4u : 0u - 4u;
            const uint32_t x = a.extended(m, value)[level], y = a.extended(m, value)[level];
            return static_cast<int32_t>(x) >= 4 && static_cast<int32_t>(y) >= 4;
        });
    };
    const double top = both(1), above = both(2);
    EXPECT_LE(top, 2.0);
    EXPECT_GE(top, 1.8);
    EXPECT_LE(above, 4.0);
    EXPECT_GE(above, 3.5);
}

// All levels of the ladder and all above it: what the last of them loses.
TEST(Audit, DrawnForward) {
    attack a(12);
    const double booleans = epsilon_at_least([&](bool truth) {
        const auto seen = a.extended(metric(EVERY_FLAG), truth);
        return std::all_of(seen.begin(), seen.end(), [](uint32_t bit) { return bit == 1; });
    });
    EXPECT_LE(booleans, 4.0);
    EXPECT_GE(booleans, 3.6);
    const double integers = epsilon_at_least([&](bool truth) {
        const auto seen = a.extended(metric(EVERY_SPEED), truth ? 400 : 0);
        return seen.back() == 400;
    });
    EXPECT_LE(integers, 4.0);
    EXPECT_GE(integers, 3.6);
    const double categories = epsilon_at_least([&](bool truth) {
        const auto seen = a.extended(metric(EVERY_PHASE), truth ? 2 : 4);
        return seen[2] == 2 && seen[3] == 2;
    });
    EXPECT_LE(categories, 5.0);
    EXPECT_GE(categories, 4.0);
}

TEST(Audit, ThresholdedLaplace) {
    attack a(9);
    const double found = epsilon_at_least(
        [&](bool truth) { return a.ladder(metric(EVERY_FLAG_FINE_GRID), truth)[2] == 1; });
    EXPECT_LE(found, 2.0);
    EXPECT_GE(found, 1.8);
}

} // namespace
