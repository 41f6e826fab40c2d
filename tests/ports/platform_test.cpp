// SPDX-License-Identifier: Apache-2.0
// The ports over an operating system's own call, here with a call that can fail.
#include "../unit/forgetful.hpp"
#include "metrics.h"
#include "sotto_esp32.h"
#include "sotto_psa.h"
#include "sotto_zephyr.h"

extern "C" {
#include <freertos/FreeRTOS.h>
#include <freertos/semphr.h>
#include <psa/crypto.h>
#include <zephyr/kernel.h>
}

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace {
enum class system_fault { none, error, stuck, few };
system_fault now = system_fault::none;
bool is_live = true;
bool radio_stops_meanwhile = false;
int calls = 0;
bool in_interrupt = false, lock_fails = false;
int held = 0; // the one mutex of the stand-ins, by how many calls
int locked = 0;
sotto_client *entered = nullptr; // from within the source
sotto_status inside = SOTTO_OK;

bool take() {
    if (lock_fails) {
        return false;
    }
    ++held;
    ++locked;
    return true;
}

void fill(void *bytes, size_t length) {
    static std::mt19937 engine(7);
    std::generate_n(static_cast<uint8_t *>(bytes), length, [] {
        return static_cast<uint8_t>(now == system_fault::stuck ? 0x77 : engine() >> 24);
    });
    ++calls;
    is_live = is_live && !radio_stops_meanwhile;
    if (entered != nullptr) {
        EXPECT_EQ(held, 1);
        inside = sotto_report_boolean(entered, TEST_FLEET_DOOR_OPEN, true);
    }
}
} // namespace

extern "C" {
void esp_fill_random(void *bytes, size_t length) { fill(bytes, length); }
int sys_csrand_get(void *bytes, size_t length) {
    fill(bytes, length);
    return now == system_fault::error ? -5 : 0;
}
bool k_is_in_isr(void) { return in_interrupt; }
int k_mutex_lock(k_mutex *, int) { return take() ? 0 : -11; }
int k_mutex_unlock(k_mutex *) { return --held; }
int xPortInIsrContext(void) { return in_interrupt ? 1 : 0; }
SemaphoreHandle_t xSemaphoreCreateRecursiveMutexStatic(StaticSemaphore_t *memory) { return memory; }
int xSemaphoreTakeRecursive(SemaphoreHandle_t, unsigned long) { return take() ? pdTRUE : 0; }
int xSemaphoreGiveRecursive(SemaphoreHandle_t) { return --held; }
int32_t psa_generate_random(uint8_t *bytes, size_t length) {
    fill(bytes, length);
    return now == system_fault::error ? -148 : 0;
}
int32_t psa_generate_key(const psa_key_attributes_t *, psa_key_id_t *) {
    return now == system_fault::error ? -142 : PSA_ERROR_ALREADY_EXISTS;
}
int32_t psa_mac_compute(psa_key_id_t, psa_algorithm_t, const uint8_t *, size_t, uint8_t *,
                        size_t mac_size, size_t *mac_length) {
    *mac_length = now == system_fault::few ? mac_size - 1 : mac_size;
    return now == system_fault::error ? -136 : 0;
}
}

namespace {

class Platform : public ::testing::Test {
  protected:
    void SetUp() override {
        now = system_fault::none;
        is_live = true;
        radio_stops_meanwhile = false;
        calls = held = locked = 0;
        in_interrupt = lock_fails = false;
        entered = nullptr;
    }
    void TearDown() override { sotto_deinit(&device.client); }

    sotto_status start(const sotto_entropy &source) {
        sotto_deinit(&device.client);
        const sotto_port port = forgetful(source);
        const sotto_status status = test_fleet_init(&device, &port);
        const auto *bytes = reinterpret_cast<const uint8_t *>(&device.client);
        EXPECT_TRUE(status == SOTTO_OK || std::all_of(bytes, bytes + sizeof device.client,
                                                      [](uint8_t b) { return b == 0; }));
        return status;
    }
    sotto_status report() {
        const sotto_status status = sotto_advance(&device.client, 0);
        return status == SOTTO_OK ? sotto_report_boolean(&device.client, TEST_FLEET_SMOKE, true)
                                  : status;
    }
    void check(const sotto_entropy &source) {
        EXPECT_EQ(start(source), SOTTO_OK);
        EXPECT_EQ(report(), SOTTO_OK);
        EXPECT_EQ(calls, 4) << "a seed at init, one at the epoch, each in two blocks";
        now = system_fault::stuck;
        EXPECT_EQ(start(source), SOTTO_ERR_ENTROPY_STUCK);
        EXPECT_EQ(report(), SOTTO_ERR_NOT_INITIALISED);
    }

    // The port has the lock, and the client calls it.
    void check_lock(const sotto_entropy &source, sotto_status (*lock)(void *),
                    void (*unlock)(void *)) {
        sotto_port port = forgetful(source);
        port.lock = lock;
        port.unlock = unlock;
        ASSERT_EQ(test_fleet_init(&device, &port), SOTTO_OK);
        EXPECT_EQ(locked, 0);
        entered = &device.client;
        EXPECT_EQ(sotto_advance(entered, 0), SOTTO_OK);
        EXPECT_EQ(inside, SOTTO_ERR_BUSY) << "a call out of a call";
        entered = nullptr;
        EXPECT_EQ(locked, 3) << "once from outside, once from each block of the seed";
        EXPECT_EQ(held, 0) << "given back as often";
        in_interrupt = true;
        EXPECT_EQ(report(), SOTTO_ERR_BUSY);
        in_interrupt = false;
        lock_fails = true;
        EXPECT_EQ(report(), SOTTO_ERR_BUSY);
        lock_fails = false;
        EXPECT_EQ(locked, 3) << "neither got it";
        EXPECT_EQ(held, 0) << "and neither gave it back";
        EXPECT_EQ(report(), SOTTO_OK);
    }

    test_fleet_client device{};
};

TEST_F(Platform, ZephyrLock) {
    check_lock(sotto_zephyr_entropy, sotto_zephyr_lock, sotto_zephyr_unlock);
}

TEST_F(Platform, Esp32Lock) {
    const sotto_esp32 live = {[] { return is_live; }};
    const sotto_entropy source = sotto_esp32_entropy(&live);
    EXPECT_EQ(sotto_esp32_lock(nullptr), SOTTO_ERR_BUSY) << "nobody made it";
    sotto_esp32_make_lock();
    check_lock(source, sotto_esp32_lock, sotto_esp32_unlock);
}

TEST_F(Platform, Zephyr) {
    check(sotto_zephyr_entropy);
    now = system_fault::error;
    EXPECT_EQ(start(sotto_zephyr_entropy), SOTTO_ERR_ENTROPY_FAILED);
    EXPECT_EQ(report(), SOTTO_ERR_NOT_INITIALISED);
}

TEST_F(Platform, Psa) {
    check(sotto_psa_entropy);
    now = system_fault::error;
    EXPECT_EQ(start(sotto_psa_entropy), SOTTO_ERR_ENTROPY_FAILED);
    EXPECT_EQ(report(), SOTTO_ERR_NOT_INITIALISED);
}

TEST_F(Platform, PsaWithoutItsKey) {
    std::array<uint8_t, 32> digest{};
    std::array<uint8_t, 16> tag{};
    for (const auto fault : {system_fault::none, system_fault::few, system_fault::error}) {
        now = fault;
        EXPECT_EQ(sotto_psa_mac(1, digest.data(), tag.data()),
                  fault == system_fault::none ? SOTTO_OK : SOTTO_ERR_STORAGE);
        EXPECT_EQ(sotto_psa_make_mac_key(1),
                  fault == system_fault::error ? SOTTO_ERR_STORAGE : SOTTO_OK);
    }
}

TEST_F(Platform, Esp32) {
    const sotto_esp32 live = {[] { return is_live; }};
    const sotto_entropy source = sotto_esp32_entropy(&live);
    check(source);
    now = system_fault::none;
    // It runs no more, it stops meanwhile, nobody said that it runs.
    ASSERT_EQ(start(source), SOTTO_OK);
    is_live = false;
    calls = 0;
    EXPECT_EQ(report(), SOTTO_ERR_ENTROPY_WEAK);
    EXPECT_EQ(start(source), SOTTO_ERR_ENTROPY_WEAK);
    EXPECT_EQ(calls, 0);
    is_live = radio_stops_meanwhile = true;
    EXPECT_EQ(start(source), SOTTO_ERR_ENTROPY_WEAK);
    const sotto_esp32 nobody = {nullptr};
    EXPECT_EQ(start(sotto_esp32_entropy(&nobody)), SOTTO_ERR_ENTROPY_WEAK);
    EXPECT_EQ(start(sotto_esp32_entropy(nullptr)), SOTTO_ERR_ENTROPY_WEAK);
}

} // namespace
