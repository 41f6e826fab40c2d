// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"
#include "sotto_nrf5x.h"
#include "sotto_posix.h"
#include "sotto_template.h"
#include "sotto_testing.h"

#include "crypto/drbg.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <set>
#include <sys/types.h>
#include <vector>

SOTTO_TEST_PROGRAM();

// The linker gives the port this in place of the system's (--wrap).
namespace {
int system_fault = 0; // errno, or -1: interrupted at first, then few bytes at a time
int system_calls = 0;
} // namespace
extern "C" {
ssize_t __real_getrandom(void *bytes, size_t length, unsigned flags);  // NOLINT
ssize_t __wrap_getrandom(void *bytes, size_t length, unsigned flags) { // NOLINT
    ++system_calls;
    if (system_fault > 0) {
        errno = system_fault;
        return -1;
    }
    if (system_fault < 0) {
        if (system_calls % 2 == 1) {
            errno = EINTR;
            return -1;
        }
        length = std::min<size_t>(length, 3);
    }
    return __real_getrandom(bytes, length, flags);
}
}

namespace {

std::vector<uint8_t> take(const sotto_entropy &source, size_t length) {
    std::vector<uint8_t> bytes(length);
    EXPECT_EQ(source.read(source.context, bytes.data(), length), static_cast<int32_t>(length));
    return bytes;
}

TEST(TemplatePort, GivesNothing) {
    std::array<uint8_t, 16> bytes{};
    EXPECT_EQ(sotto_template_port.entropy->read(nullptr, bytes.data(), bytes.size()),
              SOTTO_ERR_ENTROPY_FAILED);
}

TEST(PosixPort, FillsLongRequestsWithFreshBytes) {
    const auto a = take(sotto_posix_entropy, 100000);
    const auto b = take(sotto_posix_entropy, 100000);
    EXPECT_NE(a, b);
    // All 256 values appear: missing one of them has a probability below 1e-160.
    EXPECT_EQ(std::set<uint8_t>(a.begin(), a.end()).size(), 256u);
}

TEST(PosixPort, NamesAFailureOfTheSystem) {
    system_fault = ENOSYS;
    std::array<uint8_t, 16> bytes{};
    EXPECT_EQ(sotto_posix_entropy.read(nullptr, bytes.data(), bytes.size()),
              SOTTO_ERR_ENTROPY_FAILED);
    system_fault = 0;
}

TEST(PosixPort, GoesOnAfterInterruptionsAndShortReads) {
    system_fault = -1;
    system_calls = 0;
    const auto a = take(sotto_posix_entropy, 100);
    EXPECT_GT(system_calls, 60);
    system_fault = 0;
    // The last bytes are as fresh as the first: all zero has a probability of 2^-80.
    EXPECT_TRUE(std::any_of(a.end() - 10, a.end(), [](uint8_t b) { return b != 0; }));
}

// More than the generator gives at once: an error, and nothing to read.
TEST(Drbg, ARefusalIsAnErrorAndWipesTheBytes) {
    alignas(8) std::array<uint8_t, sotto::crypto::drbg_state_bytes> state{};
    const auto entropy = [](void *, unsigned char *bytes, size_t length) {
        std::fill(bytes, bytes + length, uint8_t{7});
        return 0;
    };
    ASSERT_EQ(sotto::crypto::drbg_seed(state.data(), entropy, nullptr), SOTTO_OK);
    std::vector<uint8_t> bytes(1025, 0xee);
    EXPECT_EQ(sotto::crypto::drbg_generate(state.data(), bytes.data(), bytes.size()),
              SOTTO_ERR_CRYPTO);
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; }));
    const auto broken = [](void *, unsigned char *, size_t) { return -1; };
    EXPECT_EQ(sotto::crypto::drbg_seed(state.data(), broken, nullptr), SOTTO_ERR_CRYPTO);
}

TEST(TestingPort, RepeatsForTheSameSeedAndDeviceOnly) {
    const auto stream = [](std::vector<uint8_t> seed, uint64_t device) {
        sotto_testing testing;
        sotto_testing_init(&testing, seed.data(), seed.size(), device);
        return take(*sotto_testing_port(&testing).entropy, 64);
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
    const sotto_entropy source = sotto_nrf5x_entropy_at(bank.data());
    sotto_testing storage;
    sotto_testing_init(&storage, nullptr, 0, 0);
    sotto_port port = sotto_testing_port(&storage);
    port.entropy = &source;
    std::array<uint8_t, 4> bytes{};
    EXPECT_EQ(source.read(source.context, bytes.data(), bytes.size()), SOTTO_ERR_ENTROPY_TIMEOUT);
    EXPECT_EQ(bank[tasks_stop], 1u) << "it is switched off again";
    EXPECT_EQ(bank[config], 1u) << "bias correction is on";

    test_fleet_client device = {};
    EXPECT_EQ(test_fleet_init(&device, &port), SOTTO_ERR_ENTROPY_TIMEOUT);
    EXPECT_EQ(sotto_report_boolean(&device.client, TEST_FLEET_SMOKE, true),
              SOTTO_ERR_NOT_INITIALISED);
}

} // namespace
