// SPDX-License-Identifier: Apache-2.0
// Counters with all noise around 0, all streams of events, and a look into all of the memory at
// every moment. The joint law of all that is published and of the look loses epsilon at most, for
// every event before it. Planted faults lose more.
#include "streams.hpp"

#include <cmath>
#include <map>
#include <unordered_map>

namespace {

constexpr uint32_t horizon = 4;

double threshold_of(const uint32_t *limbs, size_t count) {
    double value = 0;
    for (size_t i = 0; i < count; ++i) {
        value = (value + limbs[i]) / 4294967296.0;
    }
    return value;
}

// ln P(noise), from the table; the uniform part is too little to be seen near 0.
double log_law(const sotto_laplace_noise &noise, int32_t v) {
    const double nonzero = threshold_of(noise.nonzero.limb, 2);
    if (v == 0) {
        return std::log1p(-nonzero);
    }
    double sum = std::log(nonzero / 2);
    for (uint32_t j = 0; j < noise.size.digit_count; ++j) {
        const double p = threshold_of(noise.size.digit + 4 * j, 4);
        sum +=
            (static_cast<uint32_t>(std::abs(v) - 1) >> j & 1) != 0 ? std::log(p) : std::log1p(-p);
    }
    return sum;
}

using observe = uint64_t (*)(const shown &, size_t moment, const words &noise);

uint64_t mixed(uint64_t hash, const words &from) {
    for (const uint32_t word : from) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// Everything that is published, and one look.
uint64_t once(const shown &s, size_t moment, const words &) {
    return mixed(mixed(1, s.memory[moment]), s.published);
}

constexpr double infinite = 1e9;

// Noise of every row within `box`, as lists in one order.
struct noises {
    std::vector<words> vectors;
    std::vector<double> log_p;
    std::vector<bool> is_inner; // so far from the ends that an event leaves it within them

    noises(const one_counter &counter, size_t rows, int32_t box, int32_t step) {
        words v(rows, static_cast<uint32_t>(-box));
        for (bool more = true; more;) {
            double sum = 0;
            bool inner = true;
            for (const uint32_t word : v) {
                const auto number = static_cast<int32_t>(word);
                sum += log_law(*counter.table.noise, number);
                inner = inner && std::abs(number) <= box - step;
            }
            vectors.push_back(v);
            log_p.push_back(sum);
            is_inner.push_back(inner);
            size_t i = 0;
            while (i < rows && v[i] == static_cast<uint32_t>(box)) {
                v[i++] = static_cast<uint32_t>(-box);
            }
            more = i < rows;
            if (more) {
                ++v[i];
            }
        }
    }
};

using seen_law = std::unordered_map<uint64_t, double>;

// A row that opens after the look and is never published is in no observation: its noise adds up.
seen_law law_of(const noises &noise, const std::vector<shown> &runs, size_t moment, observe seen) {
    seen_law law;
    for (size_t i = 0; i < noise.vectors.size(); ++i) {
        law[seen(runs[i], moment, noise.vectors[i])] += std::exp(noise.log_p[i]);
    }
    return law;
}

// The greatest loss between two streams for a look at a moment.
double loss(const noises &noise, const std::vector<shown> &a, const std::vector<shown> &b,
            size_t moment, observe seen) {
    const seen_law first_law = law_of(noise, a, moment, seen),
                   second = law_of(noise, b, moment, seen);
    double most = 0;
    for (size_t i = 0; i < noise.vectors.size(); ++i) {
        const uint64_t what = seen(a[i], moment, noise.vectors[i]);
        const auto found = second.find(what);
        if (found != second.end()) {
            most = std::max(most, std::abs(std::log(first_law.at(what) / found->second)));
        } else if (noise.is_inner[i]) {
            return infinite;
        }
    }
    return most;
}

struct campaign {
    one_counter counter;
    noises noise;
    std::vector<stream> streams;
    std::vector<std::vector<shown>> seen;

    campaign(uint16_t id, int32_t box, bool with_root = false)
        : counter(id), noise(prepared(counter, box, with_root)) {
        for (uint32_t bits = 0; bits < 1u << horizon; ++bits) {
            stream x;
            for (uint32_t i = 0; i < horizon; ++i) {
                x.push_back(static_cast<int32_t>(bits >> i & 1));
            }
            streams.push_back(x);
            std::vector<shown> &runs = seen.emplace_back();
            for (const words &v : noise.vectors) {
                runs.push_back(run(counter, v, x));
            }
        }
    }
    static noises prepared(one_counter &counter, int32_t box, bool with_root) {
        if (with_root) {
            counter.add_root();
        }
        // The rows that the last epoch opens have no event: their noise stays 0.
        const size_t rows = run(counter, {}, stream(horizon)).rows[2 * horizon - 1];
        return {counter, rows, box, step_of(counter)};
    }
    // The most that an event moves a row.
    static int32_t step_of(const one_counter &counter) {
        const uint16_t *weight = counter.classes[0].weight;
        return weight == nullptr ? 1 : *std::max_element(weight, weight + counter.classes[0].rows);
    }
    // Over all pairs that differ by the event of epoch `epoch`, and a look at the moment.
    double worst(uint32_t epoch, size_t moment, observe look) const {
        double most = 0;
        for (uint32_t bits = 0; bits < seen.size(); ++bits) {
            if ((bits >> epoch & 1) != 0) {
                continue;
            }
            most = std::max(most, loss(noise, seen[bits], seen[bits ^ 1u << epoch], moment, look));
        }
        return most;
    }
};

const campaign &campaign_of(std::pair<uint16_t, int32_t> id_and_box) {
    static std::map<uint16_t, campaign> campaigns;
    return campaigns.try_emplace(id_and_box.first, id_and_box.first, id_and_box.second)
        .first->second;
}

constexpr size_t moments = 2 * (horizon + 1);

class Streams : public ::testing::TestWithParam<std::pair<uint16_t, int32_t>> {};

TEST_P(Streams, LoseEpsilonForEveryEventBeforeALook) {
    const campaign &c = campaign_of(GetParam());
    double most = 0;
    for (uint32_t epoch = 0; epoch < horizon; ++epoch) {
        for (size_t moment = 2 * epoch + 1; moment < moments; ++moment) {
            const double now = c.worst(epoch, moment, once);
            EXPECT_LE(now, 1 + 1e-9) << epoch << ' ' << moment;
            most = std::max(most, now);
        }
    }
    EXPECT_GT(most, 1 - 1e-6) << "and no less";
}

TEST_P(Streams, ShowALaterEventOfAnOpenRow) {
    const campaign &c = campaign_of(GetParam());
    EXPECT_EQ(c.worst(0, 0, once), infinite) << "a look before it: sotto_reopen()";
    if (GetParam().first == STREAMS_LEAVES) {
        EXPECT_LE(c.worst(1, 0, once), 1 + 1e-9) << "its row opened after the look";
    }
}

// Planted: what was in memory at two moments.
TEST_P(Streams, WouldTellWithASecondCopyOfARow) {
    const campaign &c = campaign_of(GetParam());
    EXPECT_EQ(c.worst(1, 3,
                      [](const shown &s, size_t moment, const words &) {
                          return mixed(mixed(1, s.memory[moment - 1]), s.memory[moment]);
                      }),
              infinite);
}

// Planted: sums whose noise comes when they are published.
TEST_P(Streams, WouldTellWithNoiseAtTheEnd) {
    const campaign &c = campaign_of(GetParam());
    EXPECT_EQ(c.worst(0, 1,
                      [](const shown &s, size_t moment, const words &noise) {
                          return mixed(mixed(1, s.memory[moment]), noise);
                      }),
              infinite);
}

INSTANTIATE_TEST_SUITE_P(Every, Streams,
                         ::testing::Values(std::pair<uint16_t, int32_t>{STREAMS_LEAVES, 2},
                                           std::pair<uint16_t, int32_t>{STREAMS_TREE, 1},
                                           std::pair<uint16_t, int32_t>{STREAMS_WEIGHTS, 3},
                                           std::pair<uint16_t, int32_t>{STREAMS_BALANCED, 2}));

// Planted: the whole tree, its root included, with the noise of the levels below.
TEST(TheRoot, WouldLoseMore) {
    const campaign with(STREAMS_TREE, 1, true), without(STREAMS_TREE, 1);
    EXPECT_NEAR(without.worst(0, moments - 1, once), 1, 1e-6);
    EXPECT_NEAR(with.worst(0, moments - 1, once), 1.5, 1e-6);
}

} // namespace
