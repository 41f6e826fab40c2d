// SPDX-License-Identifier: Apache-2.0
// Runs under valgrind as secrets.cpp does: the amounts of events are secret, and so is the noise.
#include "../unit/forgetful.hpp"
#include "random/fixed_time.hpp"

#include "metrics.h"
#include "sotto_posix.h"

#include <array>
#include <cstdio>
#include <valgrind/memcheck.h>

namespace sotto {
uint32_t declassified(uint32_t x) {
    VALGRIND_MAKE_MEM_DEFINED(&x, sizeof x);
    return x;
}
} // namespace sotto

namespace {

constexpr std::array<uint16_t, 3> counters = {COUNTERS_STEPS, COUNTERS_DOORS, COUNTERS_HEAT};

int32_t poisoned(int32_t amount) {
    VALGRIND_MAKE_MEM_UNDEFINED(&amount, sizeof amount);
    return amount;
}

size_t undefined_bits(const void *bytes, size_t length) {
    std::array<uint8_t, 4096> undefined{};
    VALGRIND_GET_VBITS(bytes, undefined.data(), length);
    size_t bits = 0;
    for (const uint8_t mask : undefined) {
        bits += static_cast<size_t>(__builtin_popcount(mask));
    }
    return bits;
}

constexpr uint32_t first = 11; // every block begins with the next epoch

// Every row of every strategy closes at least once.
int life() {
    counters_client device{};
    std::array<uint8_t, 2048> buffer{};
    const sotto_port port = forgetful(sotto_posix_entropy);
    if (counters_init(&device, &port) != SOTTO_OK) {
        return 1;
    }
    size_t published = 0;
    for (uint32_t epoch = first; epoch < first + 25; ++epoch) {
        size_t length = 0;
        if (sotto_advance(&device.client, epoch) != SOTTO_OK ||
            sotto_flush(&device.client, buffer.data(), buffer.size(), &length) != SOTTO_OK) {
            return 2;
        }
        published += undefined_bits(buffer.data(), length);
        for (const uint16_t id : counters) {
            for (const int32_t amount : {1, 7, -1}) {
                if (epoch > first && sotto_count(&device.client, id, poisoned(amount)) < 0) {
                    return 3;
                }
            }
        }
        // The poison went all the way, into the rows and out of them.
        if (epoch > first && undefined_bits(device.rows, sizeof device.rows) < 32 * 6) {
            return 4;
        }
        if (sotto_acknowledge(&device.client) != SOTTO_OK) {
            return 5;
        }
    }
    return published > 13 * 100 ? 0 : 6;
}

} // namespace

int main() {
    if (!RUNNING_ON_VALGRIND) {
        std::fputs("run this under valgrind\n", stderr);
        return 3;
    }
    return life();
}
