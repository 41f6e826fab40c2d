// SPDX-License-Identifier: Apache-2.0
// Running totals. Outputs and memory are sums of noises and events. Where some noises can be moved
// so that nothing shown tells an event from none, it loses what these moves lose. The noise of a
// row a unit off loses epsilon / W (tests/exhaustive/test_ladder.py). For every event and every
// moment of a look the fewest moves are searched: W are enough, and fewer are not.
#include "streams.hpp"

#include <random>

namespace {

struct strategy {
    uint16_t id;
    size_t moves; // W, by which epsilon is divided
};

constexpr size_t none = SIZE_MAX;

// All that is published in a block, and the memory at a moment.
words seen_at(const shown &s, size_t moment) {
    words seen = s.numbers;
    seen.insert(seen.end(), s.memory[moment].begin(), s.memory[moment].end());
    return seen;
}

words minus(words a, const words &b) {
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] -= b.at(i);
    }
    return a;
}

// Each noise and each event adds something to all that can be seen.
struct linear {
    one_counter counter;
    size_t epochs = 0, rows = 0;
    shown base;
    std::vector<shown> of_noise, of_event;

    explicit linear(uint16_t id) : counter(id) {
        epochs = counter.table.block;
        base = run(counter, {}, stream(epochs));
        rows = base.rows.back();
        for (size_t i = 0; i < rows; ++i) {
            words noise(rows);
            noise[i] = 1;
            of_noise.push_back(run(counter, noise, stream(epochs)));
        }
        for (size_t i = 0; i < epochs; ++i) {
            stream events(epochs);
            events[i] = 1;
            of_event.push_back(run(counter, {}, events));
        }
    }
    size_t moments() const { return base.memory.size(); }
    words effect(const shown &other, size_t moment) const {
        return minus(seen_at(other, moment), seen_at(base, moment));
    }
};

// The fewest of these columns, each added or subtracted once, that make up the target.
class search {
  public:
    search(std::vector<words> columns, words target)
        : columns_(std::move(columns)), target_(std::move(target)) {}
    size_t fewest(size_t most) {
        for (size_t count = 0; count <= most; ++count) {
            if (found(0, count)) {
                return count;
            }
        }
        return none;
    }

  private:
    bool found(size_t from, size_t count) {
        if (count == 0) {
            return std::all_of(target_.begin(), target_.end(), [](uint32_t x) { return x == 0; });
        }
        for (size_t i = from; i + count <= columns_.size(); ++i) {
            for (const uint32_t sign : {1u, UINT32_MAX}) {
                add(i, sign);
                const bool is_found = found(i + 1, count - 1);
                add(i, 0 - sign);
                if (is_found) {
                    return true;
                }
            }
        }
        return false;
    }
    void add(size_t column, uint32_t sign) {
        for (size_t i = 0; i < target_.size(); ++i) {
            target_[i] += sign * columns_[column][i];
        }
    }
    std::vector<words> columns_;
    words target_;
};

// How many noises hide the event of an epoch from a look at the moment; `is_told` are noises that
// the look shows besides.
template <typename Told>
size_t moves(const linear &counted, size_t epoch, size_t moment, size_t most, Told is_told) {
    std::vector<words> columns;
    for (size_t i = 0; i < counted.rows; ++i) {
        if (!is_told(i)) {
            columns.push_back(counted.effect(counted.of_noise[i], moment));
        }
    }
    return search(columns, counted.effect(counted.of_event[epoch], moment)).fewest(most);
}
size_t moves(const linear &counted, size_t epoch, size_t moment, size_t most) {
    return moves(counted, epoch, moment, most, [](size_t) { return false; });
}

class RunningTotals : public ::testing::TestWithParam<strategy> {
  protected:
    linear counted{GetParam().id};
};

TEST_P(RunningTotals, AreLinear) {
    std::mt19937 random(7); // NOLINT
    for (int i = 0; i < 100; ++i) {
        words noise(counted.rows);
        std::generate(noise.begin(), noise.end(), random);
        stream events(counted.epochs);
        std::generate(events.begin(), events.end(), [&] { return random() & 1; });
        const shown both = run(counted.counter, noise, events);
        for (size_t moment = 0; moment < counted.moments(); ++moment) {
            words left = counted.effect(both, moment);
            for (size_t row = 0; row < counted.rows; ++row) {
                words effect = counted.effect(counted.of_noise[row], moment);
                for (size_t k = 0; k < left.size(); ++k) {
                    left[k] -= noise[row] * effect[k];
                }
            }
            // An event is there from its moment on; the rows that it is added to, all the time.
            for (size_t epoch = 0; epoch < counted.epochs; ++epoch) {
                if (events[epoch] != 0) {
                    left = minus(left, counted.effect(counted.of_event[epoch], moment));
                }
            }
            EXPECT_EQ(left, words(left.size())) << moment;
        }
    }
}

TEST_P(RunningTotals, HideEveryEventBeforeALook) {
    size_t most = 0;
    for (size_t epoch = 0; epoch < counted.epochs; ++epoch) {
        for (size_t moment = 2 * epoch + 1; moment < counted.moments(); ++moment) {
            const size_t now = moves(counted, epoch, moment, GetParam().moves);
            EXPECT_NE(now, none) << epoch << ' ' << moment;
            most = std::max(most, now);
        }
    }
    EXPECT_EQ(most, GetParam().moves) << "and no fewer";
}

TEST_P(RunningTotals, ShowTheSumOfTheBlock) {
    for (size_t epoch = 0; epoch < counted.epochs; ++epoch) {
        const words effect = minus(counted.of_event[epoch].numbers, counted.base.numbers);
        for (size_t i = 0; i < effect.size(); ++i) {
            EXPECT_EQ(effect[i], i > epoch ? 1u : 0u) << epoch << ' ' << i;
        }
    }
}

// The sizes of the digits of t, from -(fanout - 1) / 2 to (fanout - 1) / 2.
size_t digit_sum(uint32_t t, uint32_t fanout) {
    size_t sum = 0;
    for (; t > 0; t = (t + fanout / 2) / fanout) {
        const uint32_t digit = t % fanout;
        sum += std::min(digit, fanout - digit);
    }
    return sum;
}

TEST_P(RunningTotals, HaveTheNoisesOfTheirDigits) {
    const bool is_balanced = counted.counter.table.shows == SOTTO_SHOWS_BALANCED;
    for (uint32_t t = 1; t <= counted.epochs; ++t) {
        size_t noises = 0;
        for (const shown &noise : counted.of_noise) {
            noises += noise.numbers[t] != counted.base.numbers[t] ? 1 : 0;
        }
        const uint32_t fanout = 2u * counted.counter.classes[0].rows + 1;
        EXPECT_EQ(noises, is_balanced ? digit_sum(t, fanout) : GetParam().moves) << t;
    }
}

// Planted: the look shows the noises that were drawn, beside the total.
TEST_P(RunningTotals, WouldTellBesideTheirNoises) {
    for (size_t epoch = 0; epoch < counted.epochs; ++epoch) {
        const size_t moment = 2 * epoch + 1;
        EXPECT_EQ(moves(counted, epoch, moment, GetParam().moves,
                        [&](size_t row) { return row < counted.base.rows[moment]; }),
                  none);
    }
}

INSTANTIATE_TEST_SUITE_P(Every, RunningTotals,
                         ::testing::Values(strategy{STREAMS_BALANCED, 2},
                                           strategy{STREAMS_BALANCED_3, 3},
                                           strategy{STREAMS_BALANCED_5, 2},
                                           strategy{STREAMS_PAN_PRIVATE_4, 3},
                                           strategy{STREAMS_PAN_PRIVATE_8, 4}));

// More than the rows of a tree do: events in epochs after that of the look are hidden, too.
TEST(PanPrivate, HidesLaterEvents) {
    for (const strategy planted :
         {strategy{STREAMS_PAN_PRIVATE_4, 3}, {STREAMS_PAN_PRIVATE_8, 4}}) {
        const linear counted(planted.id);
        for (size_t epoch = 0; epoch < counted.epochs; ++epoch) {
            for (size_t moment = 0; moment < 2 * epoch; ++moment) {
                EXPECT_NE(moves(counted, epoch, moment, planted.moves), none)
                    << epoch << ' ' << moment;
            }
            EXPECT_EQ(moves(counted, epoch, 2 * epoch, planted.moves), none)
                << "later in its epoch";
        }
    }
    const linear balanced(STREAMS_BALANCED);
    EXPECT_EQ(moves(balanced, 0, 0, balanced.rows), none) << "sotto_reopen()";
}

// Planted: a row whose sum begins clean. The noises of the nodes do not hide it from a look.
TEST(PanPrivate, NeedsNoiseInItsRow) {
    const linear counted(STREAMS_PAN_PRIVATE_4);
    const size_t row = 0; // drawn first
    EXPECT_EQ(moves(counted, 0, 1, counted.rows, [](size_t i) { return i == row; }), none);
}

// The paper's loss, one less from 16 epochs on, is for looks between epochs.
TEST(PanPrivate, LosesTheMostWithinTheLastEpoch) {
    const linear counted(STREAMS_PAN_PRIVATE_8);
    const size_t last = counted.epochs - 1;
    EXPECT_EQ(moves(counted, last, 2 * last + 1, counted.rows), 4u);
}

} // namespace
