// SPDX-License-Identifier: Apache-2.0
// Runs under valgrind as secrets.cpp does: points are secret, and so is the noise. Where a point
// lies may show in no branch and in no address.
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

size_t undefined_bits(const uint8_t *bytes, size_t length) {
    size_t bits = 0;
    for (size_t i = 0; i < length; ++i) {
        uint8_t mask = 0;
        VALGRIND_GET_VBITS(bytes + i, &mask, 1);
        bits += static_cast<size_t>(__builtin_popcount(mask));
    }
    return bits;
}

int life() {
    points_client device{};
    std::array<uint8_t, POINTS_FLUSH_BYTES_MIN> buffer{};
    const sotto_port port = forgetful(sotto_posix_entropy);
    if (points_init(&device, &port) != SOTTO_OK || sotto_advance(&device.client, 3) != SOTTO_OK) {
        return 1;
    }
    for (uint16_t i = 0; i + 1 < points_registry.metric_count; ++i) {
        const sotto_metric &m = points_registry.metrics[i];
        std::array<int32_t, 6> points = {0, 3, 7, -5, INT32_MAX, INT32_MIN};
        size_t length = 0;
        VALGRIND_MAKE_MEM_UNDEFINED(points.data(), sizeof points);
        const size_t count = points.size() / m.table.noised_points->axes;
        if (sotto_report_points(&device.client, m.id, points.data(), count) < 0 ||
            sotto_flush(&device.client, buffer.data(), buffer.size(), &length) != SOTTO_OK) {
            return 2;
        }
        // The poison went all the way, into every row.
        if (undefined_bits(buffer.data(), length) < size_t{30} * m.value_words) {
            return 3;
        }
    }
    return 0;
}

} // namespace

int main() {
    if (!RUNNING_ON_VALGRIND) {
        std::fputs("run this under valgrind\n", stderr);
        return 3;
    }
    return life();
}
