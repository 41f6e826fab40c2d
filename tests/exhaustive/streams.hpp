// SPDX-License-Identifier: Apache-2.0
// A counter on a whole client, the generator apart. The test chooses the noise of each row, and
// looks into all of the memory at every moment. One source of a program includes it.
#ifndef STREAMS_HPP
#define STREAMS_HPP

#include "crypto/drbg.hpp"

#include "../unit/forgetful.hpp"
#include "metrics.h"
#include "sotto_posix.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

inline std::vector<uint32_t> drawn; // the noise of each row, in the order of their opening; then 0
inline size_t next_row = 0;
inline uint8_t keys = 0;

// In the place of the generator. Noise comes by the way of the uniform numbers.
namespace sotto::crypto {

sotto_status drbg_seed(void *, entropy_function, void *) { return SOTTO_OK; }
sotto_status drbg_reseed(void *, const uint8_t *, size_t) { return SOTTO_OK; }
sotto_status drbg_generate(void *, uint8_t *bytes, size_t length_bytes) {
    std::fill_n(bytes, length_bytes, uint8_t{0});
    if (length_bytes <= sizeof(sotto_client::secret)) {
        bytes[0] = ++keys;
        return SOTTO_OK;
    }
    const uint32_t noise = next_row < drawn.size() ? drawn[next_row] : 0;
    ++next_row;
    for (size_t i = 0; i < 4; ++i) {
        bytes[8 + i] = static_cast<uint8_t>(noise >> (8 * i));
    }
    return SOTTO_OK;
}
void drbg_wipe(void *) {}

} // namespace sotto::crypto

using words = std::vector<uint32_t>;
using stream = std::vector<int32_t>; // events by epoch

// A run: at each moment all memory that depends on events, and all that is published.
struct shown {
    std::vector<words> memory;
    words published, numbers; // as bytes, and the first row of each epoch
    std::vector<size_t> rows; // rows drawn so far, by moment
};

struct one_counter {
    sotto_registry registry = streams_registry;
    sotto_metric metric;
    sotto_noised_sum table;
    std::array<sotto_row_class, 8> classes{};

    explicit one_counter(uint16_t id) : metric(streams_registry.metrics[id - 1]) {
        table = *metric.table.noised_sum;
        std::copy_n(table.classes, table.class_count, classes.begin());
        bind();
    }
    // The first epoch with events: blocks of trees and totals begin with it.
    uint32_t first() const { return table.block > 0 ? 2 * table.block : 8; }
    one_counter(const one_counter &) = delete;
    one_counter &operator=(const one_counter &) = delete;
    void bind() {
        table.classes = classes.data();
        metric.table.noised_sum = &table;
        metric.value_words = table.block > 0 ? uint16_t{1} : table.class_count;
        registry.metrics = &metric;
        registry.metric_count = 1;
    }
    // The rows that a planted root adds, with the noise of the others.
    void add_root() {
        const sotto_row_class &last = classes.at(table.class_count - 1u);
        classes.at(table.class_count) = {2 * last.step, 1, nullptr};
        ++table.class_count;
        bind();
    }
};

struct memory {
    sotto_client client;
    struct {
        sotto_state_head head;
        std::array<uint32_t, 10> accounts;
        std::array<sotto_release, 8> releases;
        std::array<uint32_t, 8 * 4> words;
    } state;
    std::array<uint32_t, 8> work;
    std::array<uint32_t, 64> rows;
    std::array<uint8_t, 1024> random;
};

inline words look(const memory &m) {
    words seen(m.rows.begin(), m.rows.end());
    seen.insert(seen.end(), m.state.words.begin(), m.state.words.end());
    return seen;
}

// With `noise` in its rows and `events` in its epochs.
inline shown run(const one_counter &counter, const words &noise, const stream &events) {
    static memory m;
    std::memset(static_cast<void *>(&m), 0, sizeof m);
    drawn = noise;
    next_row = 0;
    keys = 0;
    shown result;
    const sotto_memory lent = {&m.state.head,
                               m.state.accounts.data(),
                               m.state.releases.data(),
                               m.state.words.data(),
                               m.work.data(),
                               m.random.data(),
                               10,
                               8,
                               4,
                               1024,
                               64,
                               m.rows.data()};
    static const sotto_port port = forgetful(sotto_posix_entropy);
    EXPECT_EQ(sotto_init(&m.client, &counter.registry, &port, &lent), SOTTO_OK);
    const uint32_t first = counter.first();
    EXPECT_EQ(sotto_advance(&m.client, first - 1), SOTTO_OK);
    for (uint32_t i = 0; i <= events.size(); ++i) {
        EXPECT_EQ(sotto_advance(&m.client, first + i), SOTTO_OK);
        result.memory.push_back(look(m));
        result.rows.push_back(next_row);
        result.numbers.push_back(m.state.words[0]);
        if (i < events.size() && events[i] > 0) {
            EXPECT_EQ(sotto_count(&m.client, counter.metric.id, events[i]), SOTTO_OK);
        }
        result.memory.push_back(look(m));
        result.rows.push_back(next_row);
        std::array<uint8_t, 256> buffer{};
        size_t length = 0;
        EXPECT_EQ(sotto_flush(&m.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        result.published.insert(result.published.end(), buffer.begin(),
                                buffer.begin() + static_cast<ptrdiff_t>(length));
        EXPECT_EQ(sotto_acknowledge(&m.client), SOTTO_OK);
    }
    sotto_deinit(&m.client);
    return result;
}

#endif
