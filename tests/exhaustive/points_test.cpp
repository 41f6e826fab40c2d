// SPDX-License-Identifier: Apache-2.0
// Joint laws of what is published and of all memory at each moment of sotto_report_points(), on a
// client whose generator the test is. It looks whenever noise is drawn.
#include "crypto/drbg.hpp"
#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/noised_points.hpp"

#include "../unit/forgetful.hpp"
#include "metrics.h"
#include "sotto_posix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace {

using words = std::vector<uint32_t>;

words drawn;                  // the noise of each row
size_t next_row = 0;          // to draw
points_client device;         // alone
std::vector<words> seen;      // memory that depends on points, at each draw
bool is_late = false;         // planted: points first, noise afterwards
std::array<int32_t, 2> given; // the points of this run

words look() {
    const sotto_memory &m = device.client.memory;
    words together(m.work, m.work + 2 * m.words_per_release);
    together.insert(together.end(), m.words, m.words + m.release_capacity * m.words_per_release);
    return together;
}

} // namespace

// In the place of the generator. Noise comes by the way of the uniform numbers.
namespace sotto::crypto {

sotto_status drbg_seed(void *, entropy_function, void *) { return SOTTO_OK; }
sotto_status drbg_reseed(void *, const uint8_t *, size_t) { return SOTTO_OK; }
sotto_status drbg_generate(void *, uint8_t *bytes, size_t length_bytes) {
    std::fill_n(bytes, length_bytes, uint8_t{0});
    if (length_bytes <= sizeof(sotto_client::secret)) {
        bytes[0] = 1;
        return SOTTO_OK;
    }
    seen.push_back(look());
    const uint32_t noise = next_row < drawn.size() ? drawn[next_row] : 0;
    ++next_row;
    for (size_t i = 0; i < 4; ++i) {
        bytes[8 + i] = static_cast<uint8_t>(noise >> (8 * i));
    }
    return SOTTO_OK;
}
void drbg_wipe(void *) {}

} // namespace sotto::crypto

namespace {

// As a device would that adds noise when it publishes.
void report_late(const sotto_metric &m) {
    uint32_t *clean = device.client.memory.work;
    const size_t axes = m.table.noised_points->axes;
    (void)m.code->encode(m, {given.data(), given.size() / axes, nullptr}, clean);
    std::array<uint8_t, 1024> random{};
    for (uint32_t i = 0; i < m.value_words; ++i) {
        (void)sotto::crypto::drbg_generate(nullptr, random.data(), random.size());
        (void)sotto::draw_word(m, 0, i, clean[i], {random.data(), random.size()},
                               &device.client.memory.words[i]);
    }
    std::fill_n(clean, m.value_words, 0u);
}

// All that was to be seen, and after all what is published.
words run(uint16_t id, std::array<int32_t, 2> points, const words &noise) {
    std::memset(static_cast<void *>(&device), 0, sizeof device);
    const sotto_port port = forgetful(sotto_posix_entropy);
    EXPECT_EQ(points_init(&device, &port), SOTTO_OK);
    EXPECT_EQ(sotto_advance(&device.client, 3), SOTTO_OK);
    seen.clear();
    next_row = 0;
    drawn = noise;
    given = points;
    if (is_late) {
        report_late(points_registry.metrics[id - 1]);
    } else {
        const size_t axes = points_registry.metrics[id - 1].table.noised_points->axes;
        EXPECT_EQ(sotto_report_points(&device.client, id, points.data(), 2 / axes), SOTTO_OK);
    }
    EXPECT_EQ(next_row, points_registry.metrics[id - 1].value_words);
    words together;
    for (const words &moment : seen) {
        together.insert(together.end(), moment.begin(), moment.end());
    }
    const words last = look();
    together.insert(together.end(), last.begin(), last.end());
    return together;
}

// The least change of the noise, in its units, that makes the points `a` look like `b`, at every
// moment together. It is infinite where none does. The rows are Rx + V, so there is one at most.
double distance(uint16_t id, std::array<int32_t, 2> a, std::array<int32_t, 2> b) {
    const uint32_t count = points_registry.metrics[id - 1].value_words;
    words noise(count);
    for (uint32_t i = 0; i < count; ++i) {
        noise[i] = 1000 + 17 * i;
    }
    const words of_a = run(id, a, noise), of_b = run(id, b, noise);
    const size_t published = of_a.size() - size_t{device.client.memory.release_capacity} *
                                               device.client.memory.words_per_release;
    double sum = 0;
    words shifted = noise;
    for (uint32_t i = 0; i < count; ++i) {
        const auto change = static_cast<int32_t>(of_a[published + i] - of_b[published + i]);
        shifted[i] += static_cast<uint32_t>(change);
        sum += std::abs(change);
    }
    // Noise that is shifted shows itself when it is drawn: what is compared is what came of it.
    const words moved = run(id, b, shifted);
    return std::equal(of_a.begin() + static_cast<std::ptrdiff_t>(published), of_a.end(),
                      moved.begin() + static_cast<std::ptrdiff_t>(published))
               ? sum
               : INFINITY;
}

// Did any moment of a draw depend on the points?
bool is_shown(uint16_t id, std::array<int32_t, 2> a, std::array<int32_t, 2> b) {
    const auto before = [&](std::array<int32_t, 2> points) {
        (void)run(id, points, {});
        words together;
        for (const words &moment : seen) {
            together.insert(together.end(), moment.begin(), moment.end());
        }
        return together;
    };
    return before(a) != before(b);
}

struct charged {
    uint16_t id;
    int32_t bins, delta;
    double units; // one point's
};
constexpr std::array<charged, 5> every = {
    charged{POINTS_EACH_BIN, 8, 2, 2}, charged{POINTS_SUFFIXES, 8, 2, 2},
    charged{POINTS_TREE, 10, 3, 6}, charged{POINTS_HAAR, 8, 1, 6},
    charged{POINTS_HYBRID, 12, 5, 6}};

TEST(PointRows, LoseWhatTheyAreChargedForEveryMove) {
    for (const charged &c : every) {
        double most = 0;
        for (int32_t a = 0; a < c.bins; ++a) {
            for (int32_t b = std::max(0, a - c.delta); b <= std::min(c.bins - 1, a + c.delta);
                 ++b) {
                most = std::max(most, distance(c.id, {a, 3}, {b, 3}));
            }
        }
        EXPECT_EQ(most, c.units) << c.id;
        const sotto_laplace_noise &noise =
            *points_registry.metrics[c.id - 1].table.noised_points->noise;
        EXPECT_GT(noise.size.digit_count, 0);
    }
}

// The most that rows change, of all moves of a point by delta of each number.
double worst_move(uint16_t id, int32_t cells, int32_t delta) {
    double most = 0;
    const auto near = [=](int32_t a, int32_t b) { return std::abs(a - b) <= delta; };
    for (int32_t move = 0; move < cells * cells * cells * cells; ++move) {
        const std::array<int32_t, 2> a = {move % cells, move / cells % cells},
                                     b = {move / cells / cells % cells,
                                          move / cells / cells / cells};
        if (near(a[0], b[0]) && near(a[1], b[1])) {
            most = std::max(most, distance(id, a, b));
        }
    }
    return most;
}

TEST(PointRows, OfSquaresLoseFourRowsForEveryMove) {
    EXPECT_EQ(worst_move(POINTS_SQUARES, 8, 2), 4);
}

// Planted: a third grid of squares of 5, shifted by 2 more, as 5 / 2 rounded up would have it. Its
// borders are one cell from those of the first.
TEST(PointRows, OfAGridTooManyLoseMore) {
    const sotto_metric &m = points_registry.metrics[POINTS_SQUARES - 1];
    sotto_noised_points table = *m.table.noised_points;
    ASSERT_EQ(table.class_count, 2);
    std::array<sotto_place_class, 3> classes = {table.classes[0], table.classes[1],
                                                table.classes[0]};
    classes[2].shift = 1;
    table.classes = classes.data();
    table.class_count = 3;
    const auto rows_of = [&](int32_t x, int32_t y) {
        words rows(sotto::row_count(table));
        const std::array<int32_t, 2> point = {x, y};
        (void)sotto::add_point(table, point.data(), rows.data());
        return rows;
    };
    const words before = rows_of(3, 1), after = rows_of(5, 3);
    int changed = 0;
    for (size_t i = 0; i < before.size(); ++i) {
        changed += before[i] != after[i] ? 1 : 0;
    }
    EXPECT_EQ(changed, 3 * 2) << "x leaves squares of two grids, y of the other";
}

TEST(PointRows, AreNeverCleanInMemory) {
    for (const charged &c : every) {
        EXPECT_FALSE(is_shown(c.id, {0, 3}, {c.bins - 1, 3})) << c.id;
    }
    EXPECT_FALSE(is_shown(POINTS_SQUARES, {0, 3}, {7, 0}));
}

TEST(PointRows, WouldBeCleanWithNoiseAtTheEnd) {
    is_late = true;
    for (const charged &c : every) {
        EXPECT_TRUE(is_shown(c.id, {0, 3}, {c.bins - 1, 3})) << c.id;
        EXPECT_LT(distance(c.id, {0, 3}, {c.bins - 1, 3}), INFINITY) << "and publish the same";
    }
    EXPECT_TRUE(is_shown(POINTS_SQUARES, {0, 3}, {7, 0}));
    is_late = false;
}

} // namespace
