// SPDX-License-Identifier: Apache-2.0
// Tables by which something could be published for free are refused.
#include "client/registry_check.hpp"
#include "mechanism/code.hpp"

#include "metrics.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace {

// The registry of tests/mechanisms.toml with the costs of one metric in memory that can be changed.
struct changed {
    std::vector<sotto_metric> metrics{every_registry.metrics,
                                      every_registry.metrics + every_registry.metric_count};
    std::vector<uint32_t> costs;
    sotto_registry registry = every_registry;
    sotto_metric *metric = nullptr;

    explicit changed(unsigned id) {
        registry.metrics = metrics.data();
        for (sotto_metric &m : metrics) {
            metric = m.id == id ? &m : metric;
        }
        const uint32_t each = metric->cost_reports > 0 ? metric->cost_reports : 1u;
        costs.assign(metric->cost,
                     metric->cost + each * (metric->level_count + metric->forward_count));
        metric->cost = costs.data();
    }
    bool is_good() const {
        sotto::memory_need need;
        return sotto::check_registry(registry, need) == SOTTO_OK;
    }
};

TEST(CostTables, AsCompiledTheyAreGood) {
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        EXPECT_TRUE(changed(every_registry.metrics[i].id).is_good()) << i;
    }
}

TEST(Padding, IsAStepThatAllDevicesKnow) {
    for (unsigned step = 0; step <= UINT8_MAX; ++step) {
        changed edited(1);
        edited.registry.padding_bytes = static_cast<uint8_t>(step);
        const bool is_known = step == 0 || step == 8 || step == 16 || step == 32 || step == 64;
        EXPECT_EQ(edited.is_good(), is_known) << step;
    }
}

// Code that does not go with the tables would draw from what it takes for others.
TEST(Code, IsThatOfTheMechanism) {
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        const uint16_t id = every_registry.metrics[i].id;
        for (uint16_t k = 0; k < every_registry.metric_count; ++k) {
            changed edited(id);
            edited.metric->code = every_registry.metrics[k].code;
            EXPECT_EQ(edited.is_good(),
                      edited.metric->mechanism == every_registry.metrics[k].mechanism)
                << id << ' ' << k;
        }
        changed none(id);
        none.metric->code = nullptr;
        EXPECT_FALSE(none.is_good()) << id;
    }
}

// A boolean is its own word; where another type had no encoder, a report would call nothing.
TEST(Code, EncodesEveryValueButBooleans) {
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        const sotto_metric &m = every_registry.metrics[i];
        EXPECT_EQ(m.code->encode == nullptr, m.type == SOTTO_TYPE_BOOLEAN) << m.id;
    }
}

TEST(Code, OfForwardStepsIsThatOfTheirTables) {
    const sotto_forward_code *const codes[] = {nullptr, &sotto_forward_code_bits,
                                               &sotto_forward_code_category,
                                               &sotto_forward_code_laplace};
    int steps = 0;
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        const sotto_metric &metric = every_registry.metrics[i];
        for (const sotto_forward_code *code : codes) {
            changed edited(metric.id);
            edited.metric->forward_code = code;
            EXPECT_EQ(edited.is_good(), metric.forward_count == 0 || code == metric.forward_code)
                << metric.id;
            steps += metric.forward_count;
        }
    }
    EXPECT_GT(steps, 0);
}

// A client that takes the tables for others would keep nothing of a value, or let reports out free.
TEST(Code, OfTheClientIsThatOfTheTables) {
    const sotto_client_code *const codes[] = {
        nullptr, &sotto_client_code_two_stages, &sotto_client_code_kept_values,
        &sotto_client_code_kept_hashes, &sotto_client_code_open_rows};
    int with = 0;
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        const sotto_metric &metric = every_registry.metrics[i];
        for (const sotto_client_code *code : codes) {
            changed edited(metric.id);
            edited.metric->client = code;
            EXPECT_EQ(edited.is_good(), code == metric.client) << metric.id;
        }
        with += metric.client != nullptr ? 1 : 0;
    }
    EXPECT_GE(with, 2);
}

// A report's draw takes no more random bytes than there is room for.
TEST(Code, HasRoomForTheBytesOfReports) {
    changed reports(EVERY_LADDER_OF_SEQUENCES);
    size_t most = 0;
    for (uint32_t level = 0; level < reports.metric->level_count; ++level) {
        most = std::max(most, reports.metric->code->reports->bytes(*reports.metric, level));
    }
    reports.metric->random_bytes = static_cast<uint16_t>(most);
    for (uint32_t level = 0; level < reports.metric->level_count; ++level) {
        ASSERT_LE(reports.metric->code->level_bytes(*reports.metric, level), most);
    }
    EXPECT_TRUE(reports.is_good());
    reports.metric->random_bytes -= 1;
    EXPECT_FALSE(reports.is_good());
}

TEST(CostTables, LifetimesHaveNumbersForEveryLevel) {
    changed values(EVERY_LADDER_OF_VALUES), sequences(EVERY_LADDER_OF_SEQUENCES);
    ASSERT_GT(values.metric->cost_reports, 2);
    EXPECT_EQ(sequences.metric->cost_reports, 0) << "every release is charged anew";
    values.metric->cost_reports = 0;
    EXPECT_FALSE(values.is_good()) << "the first release would be all that is charged";
    values.metric->cost_reports = 66;
    EXPECT_FALSE(values.is_good());
    sequences.metric->cost_reports = 1;
    EXPECT_FALSE(sequences.is_good()) << "the second release would be free";
}

TEST(CostTables, NoCostFalls) {
    const changed original(EVERY_LADDER_OF_VALUES);
    const uint32_t each = original.metric->cost_reports;
    for (size_t i = 1; i < original.costs.size(); ++i) {
        changed edited(EVERY_LADDER_OF_VALUES);
        // The first of a level has only the level below to keep to.
        edited.costs[i] = edited.costs[i % each > 0 ? i - 1 : i - each] - 1;
        EXPECT_FALSE(edited.is_good()) << i;
        edited.costs[i] += 1;
        EXPECT_EQ(edited.is_good(),
                  i % each == 0 || i < each || edited.costs[i] >= edited.costs[i - each])
            << i << ": the same is no less";
    }
    changed free(EVERY_LADDER_OF_VALUES);
    free.costs[0] = 0;
    EXPECT_FALSE(free.is_good());
}

TEST(CostTables, AFirstReportCanBePaid) {
    for (const unsigned id : {EVERY_LADDER_OF_VALUES, EVERY_LADDER_OF_SEQUENCES, EVERY_FLAG}) {
        changed edited(id);
        edited.metric->window_epochs = 64;
        edited.metric->budget = edited.costs[0];
        EXPECT_TRUE(edited.is_good()) << id;
        edited.metric->budget -= 1;
        EXPECT_FALSE(edited.is_good()) << id;
        edited.metric->budget += 1;
        edited.metric->window_epochs = 65;
        EXPECT_FALSE(edited.is_good()) << id;
        edited.metric->window_epochs = 0;
        EXPECT_FALSE(edited.is_good()) << id << ": a budget of no window";
    }
}

} // namespace
