// SPDX-License-Identifier: Apache-2.0
// A gateway's points on the port posix: its files, its randomness, and a process that ends.
#include "metrics.h"
#include "read_batch.hpp"
#include "sotto_posix.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

struct process {
    sotto_posix files{};
    sotto_port port;
    gateway_client device{};
    sotto_client *client = &device.client;

    explicit process(const std::string &directory)
        : port(sotto_posix_port(&files, directory.c_str())) {
        EXPECT_EQ(gateway_init(&device, &port), SOTTO_OK);
    }
    using writes = sotto_status (*)(sotto_client *, uint8_t *, size_t, size_t *);
    std::vector<uint8_t> batch(writes write) {
        std::array<uint8_t, GATEWAY_FLUSH_BYTES_MAX> buffer{};
        size_t length = 0;
        EXPECT_EQ(write(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        return {buffer.data(), buffer.data() + length};
    }
};

TEST(PosixGateway, PublishesPointsOnceAndGoesOnAfterAnEnd) {
    std::string directory = testing::TempDir() + "gateway.XXXXXX";
    ASSERT_NE(mkdtemp(directory.data()), nullptr);
    const std::vector<int32_t> points(2000, 20);
    std::vector<uint8_t> sent;
    {
        process first(directory);
        ASSERT_EQ(sotto_advance(first.client, 7), SOTTO_OK);
        ASSERT_EQ(sotto_report_points(first.client, GATEWAY_SPEEDS, points.data(), points.size()),
                  SOTTO_OK);
        const int32_t outside[] = {-1, 20, 32};
        ASSERT_EQ(sotto_report_quantile(first.client, GATEWAY_MIDDLE_SPEED, outside, 3),
                  SOTTO_VALUE_CLAMPED);
        sent = first.batch(sotto_flush);
    }
    const read_batch batch(sent.data(), sent.size(), gateway_registry);
    ASSERT_EQ(batch.reports.size(), 2u);
    for (const read_report &report : batch.reports) {
        if (report.metric == GATEWAY_SPEEDS) {
            std::vector<int32_t> rows(report.bytes.size() / 4);
            std::memcpy(rows.data(), report.bytes.data(), report.bytes.size());
            ASSERT_EQ(rows.size(), 32u);
            for (int32_t bin = 0; bin < 32; ++bin) { // from each bin to the end
                const int32_t expected = bin <= 20 ? 2000 : 0;
                EXPECT_NEAR(rows[static_cast<size_t>(bin)], expected, 60)
                    << "once in 10^11: " << bin;
            }
        }
    }
    process second(directory);
    EXPECT_EQ(sotto_advance(second.client, 6), SOTTO_ERR_EPOCH_BACKWARD) << "files have the epoch";
    ASSERT_EQ(sotto_advance(second.client, 7), SOTTO_OK);
    EXPECT_EQ(sotto_report_points(second.client, GATEWAY_SPEEDS, points.data(), points.size()),
              SOTTO_ERR_ALREADY_REPORTED);
    EXPECT_TRUE(second.batch(sotto_flush).empty()) << "nothing is new";
    const std::vector<uint8_t> again = second.batch(sotto_resend);
    const read_batch same(again.data(), again.size(), gateway_registry);
    ASSERT_EQ(same.reports.size(), batch.reports.size());
    for (size_t i = 0; i < same.reports.size(); ++i) {
        EXPECT_EQ(same.reports[i].bytes, batch.reports[i].bytes) << "no fresh noise";
        EXPECT_EQ(same.reports[i].index, batch.reports[i].index);
    }
    std::filesystem::remove_all(directory);
}

} // namespace
