// SPDX-License-Identifier: Apache-2.0
// Permanent bits of a smaller f, drawn forward from those of the ladder's top and the value.
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "fake_port.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/rappor.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using namespace sotto;
using namespace sotto::device;
using words = std::array<uint32_t, 2>;

class PermanentForward : public ::testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    permanent_client device{};
    sotto_client *client = &device.client;
    const sotto_metric &app = permanent_registry.metrics[0];
    const sotto_metric &room = permanent_registry.metrics[1];
    std::array<uint8_t, 1024> buffer{};
    size_t length = 0;

    void SetUp() override {
        ASSERT_EQ(permanent_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    }
    void reboot(uint32_t epoch) {
        std::memset(&device, 0xa5, sizeof device);
        ASSERT_EQ(permanent_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
    }
    void flush() {
        ASSERT_EQ(sotto_flush(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    }
    words kept(const sotto_metric &m, uint32_t epoch) {
        const sotto_release *r = find_release(*client, m, epoch);
        EXPECT_NE(r, nullptr);
        const uint32_t *from = release_words(*client, *r);
        return {from[0], from[1]};
    }
    std::string published() const {
        const read_batch batch(buffer.data(), length, permanent_registry);
        EXPECT_EQ(batch.reports.size(), 1u);
        return {reinterpret_cast<const char *>(buffer.data()), length};
    }
    // Measured and published at the top of the ladder.
    words at_top(const std::string &text, uint32_t epoch) {
        EXPECT_EQ(sotto_report_string(client, PERMANENT_APP, text.data(), text.size()), SOTTO_OK);
        EXPECT_EQ(sotto_relax(client, PERMANENT_APP, epoch, 1), SOTTO_OK);
        flush();
        return kept(app, epoch);
    }
    uint32_t tag_count() {
        const account a = account_of(*client, PERMANENT_APP);
        uint32_t count = 0;
        for (uint32_t i = 0; i < a.state_words(); i += 2) {
            count += a.state()[i] != 0 ? 1 : 0;
        }
        return count;
    }
    sotto_status extend(const std::string &text, uint32_t epoch) {
        return sotto_extend_string(client, PERMANENT_APP, epoch, text.data(), text.size());
    }
    // As WIRE.md has it: the next bits from the last, the true ones and the value's own stream.
    words by_hand(const std::string &text, const words &last, uint32_t level, bool is_dummy) {
        uint8_t digest[crypto::digest_bytes];
        uint32_t too_long = 0;
        std::array<uint8_t, crypto::key_bytes> key{};
        words bits{}, next{};
        std::array<uint8_t, 1024> random{};
        const uint32_t step = level - app.level_count;
        const size_t size = forward_bytes(app, step);
        EXPECT_EQ(string_digest(app.table.rappor->max_bytes, cohort_of(*client, app), text.data(),
                                text.size(), digest, &too_long),
                  SOTTO_OK);
        bloom_bits(*app.table.rappor, digest, bits.data());
        const permanent_value value(*client, app, digest);
        EXPECT_EQ(value.status, SOTTO_OK);
        EXPECT_EQ(steps_key(*client, app, value.tag, key.data()), SOTTO_OK);
        crypto::stream stream(key.data(), crypto::purpose::permanent_forward, level);
        for (uint32_t i = 0; i < 2; ++i) {
            EXPECT_EQ(stream.read(random.data(), size), SOTTO_OK);
            EXPECT_EQ(draw_forward(app, step, i, last[i], is_dummy ? 0 : bits[i],
                                   {random.data(), size}, &next[i]),
                      SOTTO_OK);
        }
        return next;
    }
};

TEST_F(PermanentForward, IsDrawnFromTheValuesOwnStream) {
    const words top = at_top("maps", 0);
    ASSERT_EQ(extend("maps", 0), SOTTO_OK);
    const words second = kept(app, 0);
    EXPECT_EQ(second, by_hand("maps", top, 2, false));
    EXPECT_NE(second, top);
    flush();
    ASSERT_EQ(extend("maps", 0), SOTTO_OK);
    EXPECT_EQ(kept(app, 0), by_hand("maps", second, 3, false));
    flush();
    EXPECT_EQ(extend("maps", 0), SOTTO_ERR_NO_RELEASE) << "it was done";
}

TEST_F(PermanentForward, IsTheSameForTheSameValue) {
    std::vector<words> seen;
    std::vector<std::string> reports;
    for (uint32_t epoch = 0; epoch < 3; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        const std::string text = epoch < 2 ? "maps" : "mail";
        (void)at_top(text, epoch);
        ASSERT_EQ(extend(text, epoch), SOTTO_OK);
        flush();
        reports.push_back(published());
        seen.push_back(kept(app, epoch));
    }
    EXPECT_EQ(seen[0], seen[1]);
    EXPECT_NE(seen[0], seen[2]);
    EXPECT_NE(reports[0], reports[1]) << "the instantaneous noise is fresh";
}

TEST_F(PermanentForward, OfAnotherValueIsRefused) {
    const words top = at_top("maps", 0);
    const uint32_t tags = tag_count();
    EXPECT_EQ(extend("mail", 0), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(kept(app, 0), top);
    EXPECT_EQ(tag_count(), tags) << "no place is taken from the values that are told apart";
    EXPECT_EQ(sotto_pending(client), 0u);
    ASSERT_EQ(extend("maps", 0), SOTTO_OK);
    EXPECT_EQ(kept(app, 0), by_hand("maps", top, 2, false));
}

TEST_F(PermanentForward, OfADummyIsOfNoBitAtAll) {
    for (uint32_t epoch = 0; epoch < 3; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        const std::string text = "value " + std::to_string(epoch);
        const words top = at_top(text, epoch);
        ASSERT_EQ(extend(text, epoch), SOTTO_OK);
        EXPECT_EQ(kept(app, epoch), by_hand(text, top, 2, epoch == 2)) << "two are told apart";
        flush();
    }
}

TEST_F(PermanentForward, IsReachedWithTheValueAloneAndCharged) {
    ASSERT_EQ(sotto_report_string(client, PERMANENT_APP, "maps", 4), SOTTO_OK);
    EXPECT_EQ(extend("maps", 0), SOTTO_ERR_LEVELS_BELOW);
    EXPECT_EQ(sotto_relax(client, PERMANENT_APP, 0, 2), SOTTO_ERR_NO_SUCH_LEVEL);
    ASSERT_EQ(sotto_relax(client, PERMANENT_APP, 0, 1), SOTTO_OK);
    flush();
    ASSERT_EQ(extend("maps", 0), SOTTO_OK);
    sotto_account account{};
    ASSERT_EQ(sotto_get_account(client, 0, &account), SOTTO_OK);
    EXPECT_EQ(account.spent, app.cost[2 * app.cost_reports]) << "one release, levels 0 to 2";
    ASSERT_EQ(sotto_flush(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    const std::string sent = published();
    reboot(0);
    ASSERT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    EXPECT_EQ(published(), sent);
    ASSERT_EQ(sotto_acknowledge(client), SOTTO_OK);
    EXPECT_EQ(extend("maps", 0), SOTTO_OK);
}

// A category, nothing remembered: the joint law of the two permanent bits, over many epochs.
TEST_F(PermanentForward, HasTheLawOfALadder) {
    constexpr uint32_t epochs = 2000, size = 64;
    const double first = 0.375, second = 0.25, down = (first - second) / (1 - 2 * second);
    std::array<double, 4> expected = {}, seen = {};
    for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
        ASSERT_EQ(sotto_advance(client, 5 * epoch), SOTTO_OK); // the window is new each time
        const uint32_t category = epoch % size;
        ASSERT_EQ(sotto_report_category(client, PERMANENT_ROOM, category), SOTTO_OK);
        flush();
        const words last = kept(room, 5 * epoch);
        ASSERT_EQ(sotto_extend_category(client, PERMANENT_ROOM, 5 * epoch, category), SOTTO_OK);
        const words next = kept(room, 5 * epoch);
        for (uint32_t i = 0; i < size; ++i) {
            const uint32_t bit = i == category ? 1 : 0;
            const uint32_t a = (last[i / 32] >> i % 32 & 1) ^ bit;
            const uint32_t b = (next[i / 32] >> i % 32 & 1) ^ bit;
            ++seen[2 * a + b];
        }
        flush();
    }
    const double n = double{epochs} * size;
    expected = {(1 - second) * (1 - down), second * down, (1 - second) * down, second * (1 - down)};
    for (size_t i = 0; i < seen.size(); ++i) {
        const double p = expected[i];
        EXPECT_LT(std::abs(seen[i] - n * p) / std::sqrt(n * p * (1 - p)), 6.5) << i;
    }
    // The control: bits drawn anew, of the same flip.
    EXPECT_GT(std::abs(seen[0] - n * (1 - first) * (1 - second)) / std::sqrt(n), 6.5);
}

} // namespace
