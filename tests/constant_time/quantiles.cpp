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

// The poison went all the way, into the published answer.
bool is_poisoned(const quantiles_client &device) {
    uint32_t mask = 0;
    VALGRIND_GET_VBITS(&device.state.words[0], &mask, sizeof mask);
    return mask != 0;
}

int life() {
    for (uint16_t i = 0; i + 1 < quantiles_registry.metric_count; ++i) {
        quantiles_client device{};
        const sotto_port port = forgetful(sotto_posix_entropy);
        if (quantiles_init(&device, &port) != SOTTO_OK ||
            sotto_advance(&device.client, 3) != SOTTO_OK) {
            return 1;
        }
        std::array<int32_t, 6> points = {0, 3, 7, -5, INT32_MAX, INT32_MIN};
        VALGRIND_MAKE_MEM_UNDEFINED(points.data(), sizeof points);
        const uint16_t id = quantiles_registry.metrics[i].id;
        if (sotto_report_quantile(&device.client, id, points.data(), points.size()) < 0) {
            return 2;
        }
        if (!is_poisoned(device)) {
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
