// SPDX-License-Identifier: Apache-2.0
// A device that counts, with a cut in each of its stores. A row that was open then is never
// published. A row is published once, and all that was published is charged. Running totals wait
// for their next block.
#include "../unit/read_batch.hpp"
#include "cut_storage.hpp"
#include "metrics.h"

#include <array>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace {

constexpr uint32_t epochs = 20;
constexpr size_t stores_max = 14;

int32_t noise(void *context, uint8_t *bytes, size_t length) {
    auto &state = *static_cast<uint32_t *>(context);
    for (size_t i = 0; i < length; ++i) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = static_cast<uint8_t>(state >> 24);
    }
    return static_cast<int32_t>(length);
}

class counting_life {
  public:
    counting_life(size_t store, size_t byte, tear kind, bool has_counter) {
        storage_.has_counter = has_counter;
        port_ = storage_.port(entropy_);
        storage_.cut_store = store;
        storage_.cut_byte = byte;
        storage_.kind = kind;
        was_cut_ = counters_init(&device_, &port_) != SOTTO_OK;
    }
    counting_life(const counting_life &) = delete;
    counting_life &operator=(const counting_life &) = delete;

    void live() {
        for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
            const sotto_status moved = sotto_advance(client(), epoch);
            EXPECT_TRUE(moved == SOTTO_OK || !storage_.has_power || was_cut_) << moved;
            (void)(sotto_count(client(), COUNTERS_DOORS, 1) == SOTTO_OK);
            give_out(false);
            if (!storage_.has_power) {
                power_comes_back(epoch);
            }
        }
        check_account();
    }
    // By metric and epoch, each release that named them.
    std::map<std::pair<uint32_t, uint32_t>, std::set<std::string>> published;
    uint32_t cut_epoch = UINT32_MAX;

  private:
    sotto_client *client() { return &device_.client; }

    void give_out(bool again) {
        std::array<uint8_t, 2048> buffer{};
        size_t length = 0;
        const auto call = again ? sotto_resend : sotto_flush;
        if (call(client(), buffer.data(), buffer.size(), &length) != SOTTO_OK || length == 0) {
            return;
        }
        const read_batch batch(buffer.data(), length, counters_registry);
        for (const read_report &r : batch.reports) {
            const std::string id(r.release.begin(), r.release.end());
            const std::string numbers(r.bytes.data(), r.bytes.data() + r.bytes.size());
            published[{r.metric, batch.epoch - r.epoch_age}].insert(id + numbers);
        }
    }
    void power_comes_back(uint32_t epoch) {
        cut_epoch = epoch;
        storage_.switch_on();
        device_ = {};
        ASSERT_EQ(counters_init(&device_, &port_), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client(), epoch), SOTTO_OK);
        EXPECT_EQ(sotto_count(client(), COUNTERS_DOORS, 1), SOTTO_ERR_NOT_COUNTED);
        give_out(true);
        give_out(false);
        was_cut_ = false;
    }
    void check_account() {
        sotto_account account{};
        ASSERT_EQ(sotto_get_account(client(), COUNTERS_SCARCE, &account), SOTTO_OK);
        uint32_t spent = 0;
        for (uint32_t epoch = epochs - 3; epoch < epochs; ++epoch) {
            spent += published.count({COUNTERS_SCARCE, epoch}) > 0 ? 1u << 20 : 0;
        }
        EXPECT_LE(spent, account.spent);
        EXPECT_LE(account.spent, account.budget);
    }

    uint32_t state_ = 1;
    sotto_entropy entropy_ = {&state_, noise, SOTTO_SOURCE_CSPRNG, 0, 0};
    cut_storage storage_;
    sotto_port port_{};
    counters_client device_{};
    bool was_cut_ = false;
};

TEST(CountersInPowerCuts, PublishWholeRowsOnce) {
    uint32_t cuts = 0;
    for (size_t store = 0; store < stores_max; ++store) {
        for (const size_t byte : {size_t{0}, size_t{1}, size_t{30}, size_t{200}, SIZE_MAX}) {
            for (int kind = 0; kind < static_cast<int>(tear::kinds) * 2; ++kind) {
                SCOPED_TRACE(testing::Message() << store << ' ' << byte << ' ' << kind);
                counting_life counted(store, byte, static_cast<tear>(kind / 2), kind % 2 != 0);
                counted.live();
                for (const auto &[at, releases] : counted.published) {
                    EXPECT_EQ(releases.size(), 1u) << "epoch " << at.second;
                }
                cuts += counted.cut_epoch != UINT32_MAX ? 1 : 0;
                EXPECT_EQ(counted.published.count({COUNTERS_DOORS, counted.cut_epoch}), 0u)
                    << "its rows were open when the power went";
                EXPECT_GT(counted.published.size(), epochs);
            }
        }
    }
    EXPECT_GT(cuts, stores_max * 10);
}

} // namespace
