// SPDX-License-Identifier: Apache-2.0
#include "sotto_posix.h"
#include "sotto_template.h"
#include "sotto_testing.h"

#include "crypto/drbg.hpp"
#include "metrics.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>
#include <thread>
#include <unistd.h>
#include <vector>

SOTTO_TEST_PROGRAM();

// The linker gives the port this in place of the system's (--wrap).
namespace {
int system_fault = 0; // errno, or -1: interrupted at first, then few bytes at a time
int system_calls = 0;
bool fsync_fails = false, rename_fails = false;
int fsyncs = 0;
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
int __real_fsync(int file);  // NOLINT
int __wrap_fsync(int file) { // NOLINT
    ++fsyncs;
    return fsync_fails ? -1 : __real_fsync(file);
}
int __real_renameat(int from, const char *old_name, int target, const char *new_name);  // NOLINT
int __wrap_renameat(int from, const char *old_name, int target, const char *new_name) { // NOLINT
    return rename_fails ? -1 : __real_renameat(from, old_name, target, new_name);
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

// The duties of every storage.
class Storage {
  public:
    explicit Storage(const sotto_port &port) : port_(port) {}

    sotto_status store(uint32_t slot, const std::string &bytes) const {
        return port_.store(port_.context, slot, reinterpret_cast<const uint8_t *>(bytes.data()),
                           bytes.size());
    }
    // The stored bytes, as far as `capacity` holds them, and the length that the storage claims.
    std::pair<std::string, int32_t> load(uint32_t slot, size_t capacity = 100) const {
        std::vector<uint8_t> bytes(capacity + 1, 0xee);
        const int32_t length = port_.load(port_.context, slot, bytes.data(), capacity);
        EXPECT_EQ(bytes[capacity], 0xee) << "a byte behind the buffer";
        const auto have = std::min(std::max(length, 0), static_cast<int32_t>(capacity));
        return {std::string(bytes.begin(), bytes.begin() + have), length};
    }
    void check() const {
        for (uint32_t slot = 0; slot < SOTTO_SLOT_COUNT; ++slot) {
            EXPECT_EQ(load(slot), std::pair(std::string(), 0));
            EXPECT_EQ(store(slot, "long enough " + std::to_string(slot)), SOTTO_OK);
        }
        for (uint32_t slot = 0; slot < SOTTO_SLOT_COUNT; ++slot) {
            EXPECT_EQ(load(slot), std::pair("long enough " + std::to_string(slot), 13));
            EXPECT_EQ(load(slot, 4), std::pair(std::string("long"), 13));
            EXPECT_EQ(store(slot, "short"), SOTTO_OK);
            EXPECT_EQ(load(slot), std::pair(std::string("short"), 5));
        }
        EXPECT_EQ(store(SOTTO_SLOT_STATE_A, ""), SOTTO_OK);
        EXPECT_EQ(load(SOTTO_SLOT_STATE_A).second, 0);
        EXPECT_EQ(load(SOTTO_SLOT_STATE_B).second, 5);
        EXPECT_EQ(store(SOTTO_SLOT_STATE_A, ""), SOTTO_OK) << "erased already";
        EXPECT_EQ(store(SOTTO_SLOT_COUNT, "x"), SOTTO_ERR_STORAGE);
        EXPECT_EQ(load(SOTTO_SLOT_COUNT).second, SOTTO_ERR_STORAGE);
    }

  private:
    sotto_port port_;
};

TEST(TestingPort, Stores) {
    sotto_testing testing;
    sotto_testing_init(&testing, nullptr, 0, 0);
    const Storage storage(sotto_testing_port(&testing));
    storage.check();
    EXPECT_EQ(storage.store(0, std::string(SOTTO_TESTING_SLOT_BYTES, 'x')), SOTTO_OK);
    EXPECT_EQ(storage.store(0, std::string(SOTTO_TESTING_SLOT_BYTES + 1, 'y')), SOTTO_ERR_STORAGE);
    EXPECT_EQ(storage.load(0, 3), std::pair(std::string("xxx"), int{SOTTO_TESTING_SLOT_BYTES}));
}

TEST(TemplatePort, StoresNothing) {
    const Storage storage(sotto_template_port);
    EXPECT_EQ(storage.store(0, "x"), SOTTO_ERR_STORAGE);
    EXPECT_EQ(storage.load(0).second, SOTTO_ERR_STORAGE);
}

class PosixStorage : public ::testing::Test {
  protected:
    std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) / ("sotto_posix_" + std::to_string(getpid()));
    std::string name = folder / "state";
    sotto_posix files{};
    Storage storage{sotto_posix_port(&files, name.c_str())};

    void SetUp() override { std::filesystem::create_directories(name); }
    void TearDown() override {
        fsync_fails = rename_fails = false;
        std::filesystem::remove_all(folder);
    }
    unsigned mode(const std::string &path) const {
        return static_cast<unsigned>(std::filesystem::status(path).permissions());
    }
};

TEST_F(PosixStorage, StoresForTheOwnerOnly) {
    const mode_t before = umask(0);
    storage.check();
    umask(before);
    EXPECT_EQ(mode(name + "/secret"), 0600u);
    std::set<std::string> there;
    for (const auto &entry : std::filesystem::directory_iterator(name)) {
        there.insert(entry.path().filename());
    }
    EXPECT_EQ(there, (std::set<std::string>{"secret", "state_b"})) << "nothing else is left";
    // Another process finds it.
    sotto_posix other;
    EXPECT_EQ(Storage(sotto_posix_port(&other, name.c_str())).load(0).first, "short");
}

// Without the lock some calls would break into others and be refused.
TEST_F(PosixStorage, ThreadsWaitForEachOther) {
    test_fleet_client device{};
    sotto_client *client = &device.client;
    const sotto_port port = sotto_posix_port(&files, name.c_str());
    ASSERT_EQ(test_fleet_init(&device, &port), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    std::atomic<int> reported = 0, already = 0, other = 0;
    const auto live = [&] {
        for (int i = 0; i < 2000; ++i) {
            const uint16_t metric = i % 2 == 0 ? TEST_FLEET_SMOKE : TEST_FLEET_DOOR_OPEN;
            const sotto_status status = sotto_report_boolean(client, metric, true);
            ++(status == SOTTO_OK                     ? reported
               : status == SOTTO_ERR_ALREADY_REPORTED ? already
                                                      : other);
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back(live);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(reported, 2);
    EXPECT_EQ(already, 7998);
    EXPECT_EQ(other, 0);
    sotto_deinit(client);
}

TEST_F(PosixStorage, ACallOutOfACallIsRefused) {
    struct intruder {
        sotto_client *client;
        sotto_status seen;
    } in = {nullptr, SOTTO_OK};
    const auto read = [](void *context, uint8_t *bytes, size_t length) {
        auto &self = *static_cast<intruder *>(context);
        if (self.client != nullptr) {
            self.seen = sotto_report_boolean(self.client, TEST_FLEET_SMOKE, true);
        }
        return sotto_posix_entropy.read(nullptr, bytes, length);
    };
    const sotto_entropy source = {&in, read, SOTTO_SOURCE_CSPRNG, 0, 0};
    sotto_port port = sotto_posix_port(&files, name.c_str());
    port.entropy = &source;
    test_fleet_client device{};
    ASSERT_EQ(test_fleet_init(&device, &port), SOTTO_OK);
    in.client = &device.client;
    ASSERT_EQ(sotto_advance(in.client, 0), SOTTO_OK);
    EXPECT_EQ(in.seen, SOTTO_ERR_BUSY);
    EXPECT_EQ(sotto_report_boolean(in.client, TEST_FLEET_SMOKE, true), SOTTO_OK);
    sotto_deinit(&device.client);
}

TEST_F(PosixStorage, WhatIsNotDurableIsAnError) {
    fsyncs = 0;
    ASSERT_EQ(storage.store(0, "old"), SOTTO_OK);
    EXPECT_EQ(fsyncs, 2) << "the file and its directory";
    fsync_fails = true;
    EXPECT_EQ(storage.store(0, "new"), SOTTO_ERR_STORAGE);
    EXPECT_EQ(storage.store(0, ""), SOTTO_ERR_STORAGE);
    fsync_fails = false;
    ASSERT_EQ(storage.store(0, "old"), SOTTO_OK);
    rename_fails = true;
    EXPECT_EQ(storage.store(0, "new"), SOTTO_ERR_STORAGE);
    EXPECT_EQ(storage.load(0).first, "old");
    rename_fails = false;
    // The leftover of a crashed attempt is in nobody's way.
    std::ofstream(name + "/secret.next") << "half";
    EXPECT_EQ(storage.store(0, "new"), SOTTO_OK);
    EXPECT_EQ(storage.load(0).first, "new");
}

TEST_F(PosixStorage, WhatIsNoDirectoryIsAnError) {
    std::filesystem::remove(name);
    EXPECT_EQ(storage.store(0, "x"), SOTTO_ERR_STORAGE);
    EXPECT_EQ(storage.load(0).second, SOTTO_ERR_STORAGE)
        << "a volume that is not mounted makes no new device";
    std::ofstream(name) << "a file";
    EXPECT_EQ(storage.store(0, "x"), SOTTO_ERR_STORAGE);
    EXPECT_EQ(storage.load(0).second, SOTTO_ERR_STORAGE);
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
    EXPECT_EQ(sotto_get_crypto_error(), -0x34) << "MBEDTLS_ERR_CTR_DRBG_ENTROPY_SOURCE_FAILED";
}

TEST(TestingPort, RepeatsForTheSameSeedAndDeviceOnly) {
    const auto stream = [](std::vector<uint8_t> seed, uint64_t device) {
        sotto_testing testing;
        sotto_testing_init(&testing, seed.data(), seed.size(), device);
        return take(*sotto_testing_port(&testing).entropy, 64);
    };
    EXPECT_EQ(stream({1, 2, 3}, 7), stream({1, 2, 3}, 7));
    std::set<std::vector<uint8_t>> streams;
    for (uint64_t device = 0; device < 1000; ++device) {
        streams.insert(stream({1, 2, 3}, device));
        streams.insert(stream({1, 2, 4}, device));
        streams.insert(stream({1, 2, 3, 0}, device));
    }
    EXPECT_EQ(streams.size(), 3000u);
}

} // namespace
