// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"
#include "sotto_nrf5x.h"
#include "sotto_posix.h"
#include "sotto_template.h"
#include "sotto_testing.h"

#include <array>
#include <gtest/gtest.h>
#include <set>
#include <vector>

SOTTO_TEST_PROGRAM();

namespace {

std::vector<uint8_t> take(const sotto_port &port, size_t length) {
    std::vector<uint8_t> bytes(length);
    EXPECT_EQ(port.entropy(port.context, bytes.data(), length), static_cast<int32_t>(length));
    return bytes;
}

TEST(TemplatePort, GivesNothing) {
    std::array<uint8_t, 16> bytes{};
    EXPECT_EQ(sotto_template_port.entropy(sotto_template_port.context, bytes.data(), bytes.size()),
              SOTTO_ERR_ENTROPY_FAILED);
}

TEST(PosixPort, FillsLongRequestsWithFreshBytes) {
    const auto a = take(sotto_posix_port, 100000);
    const auto b = take(sotto_posix_port, 100000);
    EXPECT_NE(a, b);
    // All 256 values appear: missing one of them has a probability below 1e-160.
    EXPECT_EQ(std::set<uint8_t>(a.begin(), a.end()).size(), 256u);
}

TEST(TestingPort, RepeatsForTheSameSeedAndDeviceOnly) {
    const auto stream = [](std::vector<uint8_t> seed, uint64_t device) {
        sotto_testing testing;
        sotto_testing_init(&testing, seed.data(), seed.size(), device);
        return take(sotto_testing_port(&testing), 64);
    };
    EXPECT_EQ(stream({1, 2, 3}, 7), stream({1, 2, 3}, 7));
    std::set<std::vector<uint8_t>> all;
    for (uint64_t device = 0; device < 1000; ++device) {
        all.insert(stream({1, 2, 3}, device));
        all.insert(stream({1, 2, 4}, device));
        all.insert(stream({1, 2, 3, 0}, device));
    }
    EXPECT_EQ(all.size(), 3000u);
}

// What the port reads when there is a peripheral is tested on the emulated one (tests/qemu).
TEST(Nrf5xPort, APeripheralThatIsNeverReadyIsATimeout) {
    enum : size_t { tasks_stop = 1, config = 0x141 };
    std::array<volatile uint32_t, 0x200> bank{};
    const sotto_port port = sotto_nrf5x_port_at(bank.data());
    std::array<uint8_t, 4> bytes{};
    EXPECT_EQ(port.entropy(port.context, bytes.data(), bytes.size()), SOTTO_ERR_ENTROPY_TIMEOUT);
    EXPECT_EQ(bank[tasks_stop], 1u) << "it is switched off again";
    EXPECT_EQ(bank[config], 1u) << "bias correction is on";

    test_fleet_client device = {};
    EXPECT_EQ(test_fleet_init(&device, &port), SOTTO_ERR_ENTROPY_TIMEOUT);
    EXPECT_EQ(sotto_report_boolean(&device.client, TEST_FLEET_SMOKE, true),
              SOTTO_ERR_NOT_INITIALISED);
}

} // namespace
