// SPDX-License-Identifier: Apache-2.0
// The law of a counter's noise through the whole client, for each strategy. Its published
// numbers, less the events, are discrete Laplace of the unit that the strategy is charged for, or
// sums of it.
#include "../unit/read_batch.hpp"
#include "metrics.h"
#include "sotto_testing.h"
#include "statistics.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <vector>

SOTTO_TEST_PROGRAM();

namespace {

constexpr uint32_t first = 4, epochs = 20000; // blocks of 4 epochs, and 2 of a tree
constexpr std::array<uint16_t, 5> counted = {STREAMS_LEAVES, STREAMS_TREE, STREAMS_WEIGHTS,
                                             STREAMS_BALANCED, STREAMS_PAN_PRIVATE_4};
using series = std::vector<int32_t>;

uint32_t events_in(uint32_t epoch, uint32_t id) { return (epoch * 2654435761u >> 26) % (id + 3); }

uint32_t events_of(uint32_t last, uint32_t span, uint32_t id) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < span; ++i) {
        sum += events_in(last - i, id);
    }
    return sum;
}

// All that one device publishes, by metric and epoch.
class life {
  public:
    life() {
        const uint8_t seed = 9;
        sotto_testing_init(&testing_, &seed, 1, 0);
        port_ = sotto_testing_port(&testing_);
        EXPECT_EQ(streams_init(&device_, &port_), SOTTO_OK);
        EXPECT_EQ(sotto_advance(&device_.client, first - 1), SOTTO_OK);
        for (uint32_t epoch = first; epoch <= first + epochs; ++epoch) {
            live(epoch);
        }
    }
    uint32_t number(uint32_t id, uint32_t epoch, size_t row = 0) const {
        return published_.at({id, epoch}).at(row);
    }

  private:
    void live(uint32_t epoch) {
        ASSERT_EQ(sotto_advance(&device_.client, epoch), SOTTO_OK);
        for (const uint16_t id : counted) {
            for (uint32_t i = 0; i < events_in(epoch, id); ++i) {
                ASSERT_EQ(sotto_count(&device_.client, id, 1), SOTTO_OK);
            }
        }
        std::array<uint8_t, 2048> buffer{};
        size_t length = 0;
        ASSERT_EQ(sotto_flush(&device_.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        if (length > 0) {
            read(read_batch(buffer.data(), length, streams_registry));
        }
        ASSERT_EQ(sotto_acknowledge(&device_.client), SOTTO_OK);
    }
    void read(const read_batch &batch) {
        for (const read_report &r : batch.reports) {
            std::vector<uint32_t> &rows = published_[{r.metric, batch.epoch - r.epoch_age}];
            rows.resize(r.bytes.size() / 4);
            std::memcpy(rows.data(), r.bytes.data(), r.bytes.size());
        }
    }
    sotto_testing testing_{};
    sotto_port port_{};
    streams_client device_{};
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> published_;
};

const life &published() {
    static const life single;
    return single;
}

// Less the events, at every `step`-th epoch from `from` on; a sum of `span` epochs.
series noise_of(uint32_t id, uint32_t from, uint32_t step, uint32_t span, size_t row = 0) {
    series noise;
    for (uint32_t epoch = first + from; epoch < first + epochs; epoch += step) {
        const uint32_t number = published().number(id, epoch, row);
        noise.push_back(static_cast<int32_t>(number - events_of(epoch, span, id)));
    }
    return noise;
}

series difference(series a, const series &b) {
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] -= b.at(i);
    }
    return a;
}

constexpr int32_t far = 400; // beyond it the law is below 1e-30

// The sum of `terms` noises, each discrete Laplace, from -far to far.
std::vector<double> law_of(double unit_epsilon, int terms) {
    const double q = std::exp(-unit_epsilon);
    std::vector<double> single(2 * far + 1), sum(2 * far + 1);
    for (int32_t v = -far; v <= far; ++v) {
        single[static_cast<size_t>(v + far)] = (1 - q) / (1 + q) * std::pow(q, std::abs(v));
    }
    sum[far] = 1;
    for (int i = 0; i < terms; ++i) {
        std::vector<double> next(2 * far + 1);
        for (int32_t a = -far; a <= far; ++a) {
            for (int32_t b = std::max(-far, -far - a); b <= std::min(far, far - a); ++b) {
                next[static_cast<size_t>(a + b + far)] +=
                    sum[static_cast<size_t>(a + far)] * single[static_cast<size_t>(b + far)];
            }
        }
        sum = next;
    }
    return sum;
}

double law_z(const series &noise, double unit_epsilon, int terms) {
    std::vector<double> seen(2 * far + 1), expected = law_of(unit_epsilon, terms);
    for (const int32_t v : noise) {
        EXPECT_LE(std::abs(v), far);
        seen.at(static_cast<size_t>(v + far)) += 1;
    }
    for (double &p : expected) {
        p *= static_cast<double>(noise.size());
    }
    return chi_square_z(seen, expected);
}

// A law, and that of a unit half as large again, which must be told apart.
void expect_law(const series &noise, double unit_epsilon, int terms = 1) {
    EXPECT_LT(law_z(noise, unit_epsilon, terms), z_limit);
    EXPECT_GT(law_z(noise, unit_epsilon * 1.5, terms), z_limit) << "the control";
}

void expect_independent(const series &a, const series &b, double unit_epsilon, size_t first_lag) {
    const double q = std::exp(-unit_epsilon), p = q / (1 + q);
    const auto above = [](const series &noise) {
        std::vector<int> bits;
        for (const int32_t v : noise) {
            bits.push_back(v > 0 ? 1 : 0);
        }
        return bits;
    };
    for (size_t lag = first_lag; lag <= 4; ++lag) {
        EXPECT_LT(std::abs(correlation_z(above(a), above(b), lag, p, p)), z_limit) << lag;
    }
}

TEST(CounterLaws, Leaves) {
    const series noise = noise_of(STREAMS_LEAVES, 0, 1, 1);
    expect_law(noise, 1);
    expect_independent(noise, noise, 1, 1);
}

TEST(CounterLaws, TreeOfTwoLevels) {
    const series leaves = noise_of(STREAMS_TREE, 1, 2, 1),
                 pairs = noise_of(STREAMS_TREE, 1, 2, 2, 1);
    for (const series &noise : {leaves, noise_of(STREAMS_TREE, 0, 2, 1), pairs}) {
        expect_law(noise, 0.5);
        expect_independent(noise, noise, 0.5, 1);
    }
    expect_independent(leaves, pairs, 0.5, 0);
}

TEST(CounterLaws, WeightsOfAge) {
    series noise;
    for (uint32_t epoch = first + 1; epoch < first + epochs; ++epoch) {
        const uint32_t sum =
            2 * events_in(epoch, STREAMS_WEIGHTS) + events_in(epoch - 1, STREAMS_WEIGHTS);
        noise.push_back(static_cast<int32_t>(published().number(STREAMS_WEIGHTS, epoch) - sum));
    }
    expect_law(noise, 1.0 / 3);
    expect_independent(noise, noise, 1.0 / 3, 1);
}

// After 1 epoch of a block the total is the first leaf. After 2 it is the node of three less the
// third leaf. After 3 it is the node, and after 4 the fourth leaf is added.
TEST(CounterLaws, BalancedDigits) {
    std::array<series, 4> total;
    for (uint32_t t = 0; t < 4; ++t) {
        total.at(t) = noise_of(STREAMS_BALANCED, t, 4, t + 1);
    }
    const std::array<series, 4> rows = {total[0], total[2], difference(total[2], total[1]),
                                        difference(total[3], total[2])};
    for (const series &single : rows) {
        expect_law(single, 0.5);
        for (const series &other : rows) {
            expect_independent(single, other, 0.5, &single == &other ? 1 : 0);
        }
    }
}

// Each total has a noise of the row and of two nodes. Two of a pair share the row and a node, two
// of different pairs the row.
TEST(CounterLaws, PanPrivate) {
    std::array<series, 4> total;
    for (uint32_t t = 0; t < 4; ++t) {
        total.at(t) = noise_of(STREAMS_PAN_PRIVATE_4, t, 4, t + 1);
        expect_law(total.at(t), 1.0 / 3, 3);
    }
    expect_law(difference(total[1], total[0]), 1.0 / 3, 2);
    expect_law(difference(total[3], total[2]), 1.0 / 3, 2);
    expect_law(difference(total[2], total[0]), 1.0 / 3, 4);
}

} // namespace
