// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_TESTS_AGGREGATOR_GATEWAYS_HPP
#define SOTTO_TESTS_AGGREGATOR_GATEWAYS_HPP

#include "aggregator/registry/tables.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/simulate/host_device.hpp"
#include "support.hpp"

#include "sotto_testing.h"

#include <gtest/gtest.h>

namespace sotto::aggregator::test {

// Gateways of a registry: the SDK itself. Their reports are added to a tally.
struct gateways {
    registry with;
    tables in_flash{with};
    host_device device{with, in_flash.get()};

    explicit gateways(const registry &known) : with(known) {}

    // Number `number` has noise of its own.
    void count(level_tally &tally, const metric &m, const std::vector<std::int32_t> &points,
               std::uint64_t number) {
        const std::uint8_t seed[] = {11};
        sotto_testing random = {};
        sotto_testing_init(&random, seed, sizeof seed, number);
        const measured_value value[] = {{with.find(m.name), points, 0}};
        (void)device.run(random.entropy, 3, value, {}, [&](std::string_view file) {
            while (const auto bytes = take_envelope(file)) {
                const auto opened = std::get<envelope>(decode_envelope(*bytes));
                for (const report &r : reports_of(opened.batch, value_layouts(with))) {
                    const row stored = row_of(m, r);
                    metric_tally single = {std::move(tally)};
                    ASSERT_TRUE(count_release(single, m, 0, cohort_of(stored), value_of(stored)));
                    tally = std::move(single.front());
                }
            }
        });
    }
};

// 0 or 1.
inline int holds(const estimated &found, double truth) {
    return found.ci_low() <= truth && truth <= found.ci_high() ? 1 : 0;
}

} // namespace sotto::aggregator::test
#endif
