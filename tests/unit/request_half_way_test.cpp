// SPDX-License-Identifier: Apache-2.0
// Crypto that fails in the middle of a request: what was done counts as any other relaxation, and
// the same request does the rest.
#include "aggregator/request/request.hpp"
#include "crypto/stream.hpp"
#include "fake_port.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <array>
#include <gtest/gtest.h>

// crypto::stream::read as the linker's --wrap calls it: fails when the countdown has run out.
static int reads_left = -1; // below 0: never
extern "C" {
sotto_status __real__ZN5sotto6crypto6stream4readEPhm(sotto::crypto::stream *self, uint8_t *bytes,
                                                     size_t length_bytes);
sotto_status __wrap__ZN5sotto6crypto6stream4readEPhm(sotto::crypto::stream *self, uint8_t *bytes,
                                                     size_t length_bytes);
}

sotto_status __wrap__ZN5sotto6crypto6stream4readEPhm(sotto::crypto::stream *self, uint8_t *bytes,
                                                     size_t length_bytes) {
    if (reads_left == 0) {
        return SOTTO_ERR_CRYPTO;
    }
    reads_left -= reads_left > 0 ? 1 : 0;
    return __real__ZN5sotto6crypto6stream4readEPhm(self, bytes, length_bytes);
}

namespace {

constexpr uint32_t epochs = 4;

// Measured in four epochs, and asked for all that said "true" (1) in them.
class half_way {
  public:
    half_way() : port_(fake_.port()) {
        EXPECT_EQ(asked_init(&device_, &port_), SOTTO_OK);
        for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
            EXPECT_EQ(sotto_advance(client(), epoch), SOTTO_OK);
            EXPECT_EQ(sotto_report_category(client(), ASKED_ROOM, 2), SOTTO_OK);
            EXPECT_EQ(flush(), 1u);
        }
    }
    half_way(const half_way &) = delete;
    half_way &operator=(const half_way &) = delete;

    sotto_status ask() {
        static const std::string bytes = [] {
            sotto::aggregator::request r;
            r.registry = asked_registry.fingerprint;
            r.metric = ASKED_ROOM;
            r.level = 1;
            r.serial = 5;
            r.last_epoch = epochs;
            r.select = {0, 2};
            return sign_request(
                r, sotto::aggregator::read_request_key(SOTTO_REQUEST_KEYS "operator.key"));
        }();
        return sotto_request(client(), reinterpret_cast<const uint8_t *>(bytes.data()),
                             bytes.size(), nullptr, nullptr, &result);
    }
    // How many reports; each level of a release is flagged as it has to be.
    size_t flush() {
        std::array<uint8_t, 1024> buffer{};
        size_t length = 0;
        EXPECT_EQ(sotto_flush(client(), buffer.data(), buffer.size(), &length), SOTTO_OK);
        if (length == 0) {
            return 0;
        }
        const read_batch batch(buffer.data(), length, asked_registry);
        for (const read_report &r : batch.reports) {
            EXPECT_EQ(r.flags, r.level);
        }
        return batch.reports.size();
    }
    uint32_t spent() {
        sotto_account account{};
        EXPECT_EQ(sotto_get_account(client(), 0, &account), SOTTO_OK); // the device's
        return account.spent;
    }
    void reboot() {
        device_ = {};
        EXPECT_EQ(asked_init(&device_, &port_), SOTTO_OK);
        EXPECT_EQ(sotto_advance(client(), epochs - 1), SOTTO_OK);
    }

    sotto_request_result result{};

  private:
    sotto_client *client() { return &device_.client; }

    fake_port fake_;
    sotto_port port_;
    asked_client device_{};
};

class HalfWay : public ::testing::Test {
  protected:
    ~HalfWay() override { reads_left = -1; }
};

TEST_F(HalfWay, WhatWasDoneIsChargedAndTheSameRequestDoesTheRest) {
    half_way whole; // the control, with the same randomness
    ASSERT_EQ(whole.ask(), SOTTO_OK);
    const uint32_t releases = whole.result.relaxed;
    ASSERT_GE(releases, 2u);
    const uint32_t before = half_way().spent();
    const uint32_t cost = (whole.spent() - before) / releases;
    ASSERT_GT(cost, 0u);
    uint32_t cut_between = 0;
    for (const bool is_flushed : {false, true}) {
        for (int reads = 0; reads < static_cast<int>(epochs); ++reads) { // one for each look
            half_way cut;
            reads_left = reads;
            ASSERT_EQ(cut.ask(), SOTTO_ERR_CRYPTO) << reads;
            reads_left = -1;
            const uint32_t done = cut.result.relaxed;
            cut_between += done > 0 ? 1 : 0;
            EXPECT_EQ(cut.spent(), before + done * cost) << "charged for what is queued, no more";
            if (is_flushed) {
                EXPECT_EQ(cut.flush(), done);
                cut.reboot();
            }
            ASSERT_EQ(cut.ask(), SOTTO_OK) << "its serial is not used up";
            EXPECT_EQ(cut.result.relaxed, releases - done);
            EXPECT_EQ(cut.spent(), whole.spent()) << "nothing is charged twice";
            EXPECT_EQ(cut.flush(), is_flushed ? releases - done : releases);
            EXPECT_EQ(cut.ask(), SOTTO_ERR_REQUEST_REPLAYED);
        }
    }
    EXPECT_GT(cut_between, 2u);
}

// Power goes before the flush: neither the half nor its charge is left, and the request may come.
TEST_F(HalfWay, ARebootBeforeTheFlushUndoesIt) {
    half_way cut;
    const uint32_t before = cut.spent();
    reads_left = static_cast<int>(epochs) - 1;
    ASSERT_EQ(cut.ask(), SOTTO_ERR_CRYPTO);
    reads_left = -1;
    ASSERT_GT(cut.result.relaxed, 0u);
    cut.reboot();
    EXPECT_EQ(cut.spent(), before);
    EXPECT_EQ(cut.flush(), 0u);
    EXPECT_EQ(cut.ask(), SOTTO_OK);
    EXPECT_EQ(cut.flush(), cut.result.relaxed);
}

} // namespace
