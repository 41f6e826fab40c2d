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
            EXPECT_EQ(port_.entropy->read(port_.entropy->context, noise_.data(), size),
                      static_cast<int32_t>(size));
            EXPECT_EQ(sotto::draw_word(m, level, 0, word, {noise_.data(), size}, &word), SOTTO_OK);
            levels[level] = sotto::published_word(m, word);
        }
        return levels;
    }

    // The instantaneous report on permanent bits.
    uint32_t report(const sotto_metric &m, uint32_t value) {
        const uint32_t permanent = ladder(m, value)[0];
        const sotto_rappor &table = *m.table.rappor;
        const size_t size = sotto::bernoulli_lanes_bytes(table.instantaneous[0]);
        EXPECT_EQ(port_.entropy->read(port_.entropy->context, noise_.data(), size),
                  static_cast<int32_t>(size));
        return sotto::instantaneous_bits(table, 0, 0, permanent, noise_.data());
    }

  private:
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
        return (a.report(metric(EVERY_PHASE_RAPPOR), truth ? 1u << 3 : 1u << 7) & 0x88u) == 0x08u;
    });
    EXPECT_LE(found, 0.53715);
    EXPECT_GE(found, 0.45);
}

TEST(Audit, ThresholdedLaplace) {
    attack a(9);
    const double found = epsilon_at_least(
        [&](bool truth) { return a.ladder(metric(EVERY_FLAG_FINE_GRID), truth)[2] == 1; });
    EXPECT_LE(found, 2.0);
    EXPECT_GE(found, 1.8);
}

} // namespace
