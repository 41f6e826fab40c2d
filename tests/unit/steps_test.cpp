// SPDX-License-Identifier: Apache-2.0
// The cost of a call to a device with many metrics, in steps of accounts and batches. These two
// files are compiled so that each basic block counts. Whatever the order, the answers are the same.
#include "client/adopt.hpp"
#include "state.hpp"

#include <numeric>
#include <random>

namespace {

std::uint64_t blocks = 0;

} // namespace

extern "C" void __sanitizer_cov_trace_pc() { ++blocks; }

namespace {

class Steps : public State {
  protected:
    std::vector<std::uint8_t> large = std::vector<std::uint8_t>(1 << 16);

    // A device that has as many metrics like the first, in epoch 0.
    void boot_many(std::uint16_t count) {
        metrics.assign(count, budgets_registry.metrics[0]);
        registry = budgets_registry;
        registry.window_epochs = 0, registry.budget = 0;
        std::size_t words = sotto::device::account_words(registry, nullptr);
        for (std::uint16_t i = 0; i < count; ++i) {
            metrics[i].id = static_cast<std::uint16_t>(i + 1);
            metrics[i].fingerprint = i + 1u;
            words += sotto::device::account_words(registry, &metrics[i]);
        }
        registry.metrics = metrics.data();
        registry.metric_count = count;
        fake.forget();
        ASSERT_EQ(boot(registry, words, count), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    }

    std::vector<std::uint32_t> flush_all() {
        EXPECT_EQ(sotto_flush(client, large.data(), large.size(), &length), SOTTO_OK);
        return sent();
    }
    std::vector<std::uint32_t> sent() const {
        std::vector<std::uint32_t> ids;
        for (const read_report &r : read_batch(large.data(), length, registry).reports) {
            ids.push_back(r.metric);
        }
        return ids;
    }

    // Steps of a report of each metric, in the registry's order, a flush and a second one of its
    // batch.
    std::uint64_t steps(std::uint16_t count) {
        boot_many(count);
        blocks = 0;
        for (std::uint16_t id = 1; id <= count; ++id) {
            EXPECT_EQ(sotto_report_boolean(client, id, true), SOTTO_OK);
        }
        EXPECT_EQ(flush_all().size(), count);
        EXPECT_EQ(sotto_resend(client, large.data(), large.size(), &length), SOTTO_OK);
        EXPECT_EQ(sotto_acknowledge(client), SOTTO_OK);
        return blocks;
    }
};

TEST_F(Steps, GrowWithTheMetricsAndNoFaster) {
    const std::uint64_t few = steps(100), many = steps(400);
    EXPECT_GT(few, 100 * 20u) << "nothing is counted";
    EXPECT_LT(many, 5 * few); // a search by halves is a little more than 4 times as long
}

TEST_F(Steps, InAnyOrderABatchIsInTheRegistrys) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 20; ++trial) {
        boot_many(30);
        std::vector<std::uint32_t> in_order(30);
        std::iota(in_order.begin(), in_order.end(), 1u);
        std::vector<std::uint32_t> ids = in_order;
        for (std::uint32_t epoch = 0; epoch < 3; ++epoch) {
            ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
            std::shuffle(ids.begin(), ids.end(), random);
            for (const std::uint32_t id : ids) {
                const auto metric = static_cast<std::uint16_t>(id);
                ASSERT_EQ(sotto_report_boolean(client, metric, true), SOTTO_OK);
            }
            EXPECT_EQ(flush_all(), in_order);
            ASSERT_EQ(sotto_resend(client, large.data(), large.size(), &length), SOTTO_OK);
            EXPECT_EQ(sent(), in_order);
            for (const std::uint32_t id : ids) {
                const sotto_account a = account(static_cast<std::uint16_t>(id));
                EXPECT_EQ(a.measured, epoch + 1);
                EXPECT_EQ(a.last_epoch, epoch);
            }
            ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
            // Some make room, so that later ones stand before others.
            for (std::uint32_t i = 0; i < 7; ++i) {
                ASSERT_EQ(sotto_close(client, static_cast<std::uint16_t>(ids[i]), epoch), SOTTO_OK);
            }
        }
    }
}

} // namespace
