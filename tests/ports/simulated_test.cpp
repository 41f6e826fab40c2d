// SPDX-License-Identifier: Apache-2.0
// The register-level ports over simulated peripherals, and a client over them: a fault is a named
// error and no report.
#include "../unit/forgetful.hpp"
#include "metrics.h"
#include "random/fixed_time.hpp"
#include "simulated.hpp"
#include "sotto_nrf5x.h"
#include "sotto_rp2040.h"
#include "sotto_rp2350.h"
#include "sotto_stm32.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

extern "C" {
uint32_t sotto_register_read(void *bank, uint32_t offset_bytes) {
    return static_cast<peripheral *>(bank)->read(offset_bytes);
}
void sotto_register_write(void *bank, uint32_t offset_bytes, uint32_t value) {
    static_cast<peripheral *>(bank)->write(offset_bytes, value);
}
}

namespace {

struct device {
    explicit device(const sotto_entropy &source) : entropy(source) {}
    device(const device &) = delete;
    device &operator=(const device &) = delete;
    ~device() { sotto_deinit(&fleet.client); }

    sotto_status init() { return test_fleet_init(&fleet, &port); }
    sotto_status advance(uint32_t epoch) { return sotto_advance(&fleet.client, epoch); }
    sotto_status report() { return sotto_report_boolean(&fleet.client, TEST_FLEET_SMOKE, true); }
    bool is_zero() const {
        const auto *bytes = reinterpret_cast<const uint8_t *>(&fleet.client);
        return std::all_of(bytes, bytes + sizeof fleet.client, [](uint8_t b) { return b == 0; });
    }

    sotto_entropy entropy;
    sotto_port port = forgetful(entropy);
    test_fleet_client fleet{};
};

struct expected {
    fault now;
    sotto_status status;
};

// Each fault from the beginning, and each that begins when the device runs.
void check(peripheral &hardware, const sotto_entropy &source, const std::vector<expected> &faults) {
    for (const auto &[now, status] : faults) {
        SCOPED_TRACE("fault " + std::to_string(static_cast<int>(now)));
        device started(source);
        hardware.now = now;
        EXPECT_EQ(started.init(), status);
        if (status != SOTTO_OK) {
            EXPECT_TRUE(started.is_zero());
            EXPECT_EQ(started.report(), SOTTO_ERR_NOT_INITIALISED);
        }
        hardware.now = fault::none;
        if (status != SOTTO_OK) {
            ASSERT_EQ(started.init(), SOTTO_OK) << "when the fault has gone";
        }
        ASSERT_EQ(started.advance(0), SOTTO_OK);
        EXPECT_EQ(started.report(), SOTTO_OK);
        hardware.now = now;
        const sotto_status later = started.advance(1);
        EXPECT_TRUE(later == status || (status != SOTTO_OK && later == SOTTO_ERR_ENTROPY_DEAD))
            << sotto_status_text(later);
        if (later != SOTTO_OK) {
            EXPECT_LT(started.report(), SOTTO_OK);
        }
        hardware.now = fault::none;
    }
}

std::string family(const ::testing::TestParamInfo<bool> &is_early) {
    return is_early.param ? "nRF51" : "nRF52";
}
std::string recovery(const ::testing::TestParamInfo<bool> &has_condrst) {
    return has_condrst.param ? "ConditioningReset" : "Restart";
}

// A quarter of the samples is the same: each window of 512 that happens to begin with it shows
// that. Out of 60 none does with a probability of 3e-8, of this seed some do.
void check_bias(peripheral &hardware, const sotto_entropy &source) {
    const auto fails = [&](sotto_status status) {
        EXPECT_TRUE(status == SOTTO_OK || status == SOTTO_ERR_ENTROPY_BIASED)
            << sotto_status_text(status);
        return status != SOTTO_OK;
    };
    device started(source);
    hardware.now = fault::biased;
    int starts = 1;
    for (; starts < 30 && !fails(started.init()); ++starts) {
        sotto_deinit(&started.fleet.client);
    }
    EXPECT_LT(starts, 30);
    EXPECT_TRUE(started.is_zero());
    hardware.now = fault::none;
    ASSERT_EQ(started.init(), SOTTO_OK);
    hardware.now = fault::biased;
    uint32_t epoch = 0;
    while (epoch < 120 && !fails(started.advance(epoch))) {
        ++epoch;
    }
    EXPECT_LT(epoch, 120u);
    hardware.now = fault::none;
}

// A read's words, none of them spoilt by a seed error.
void expect_no_bad_word(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i += 4) {
        const uint32_t word = sotto::load32(bytes + i);
        EXPECT_TRUE(word != 0 && word != bad_word) << i;
    }
}

// A port's address; sotto_register_read takes it back.
void *bank(peripheral &hardware) { return &hardware; }

class Nrf5x : public ::testing::TestWithParam<bool> {};

TEST_P(Nrf5x, EveryFaultIsNamed) {
    nrf5x_rng hardware(GetParam());
    check(hardware, sotto_nrf5x_entropy_at(bank(hardware)),
          {{fault::none, SOTTO_OK},
           {fault::slow, SOTTO_OK},
           {fault::stuck, SOTTO_ERR_ENTROPY_STUCK},
           {fault::silent, SOTTO_ERR_ENTROPY_TIMEOUT}});
    check_bias(hardware, sotto_nrf5x_entropy_at(bank(hardware)));
    EXPECT_TRUE(hardware.corrects_bias);
    EXPECT_FALSE(hardware.is_started()) << "it is switched off again";
}

TEST_P(Nrf5x, EachSampleIsANewOne) {
    nrf5x_rng hardware(GetParam());
    const sotto_entropy source = sotto_nrf5x_entropy_at(bank(hardware));
    std::array<uint8_t, 4096> samples{};
    ASSERT_EQ(source.read(source.context, samples.data(), samples.size()), 4096);
    size_t repeats = 0;
    for (size_t i = 1; i < samples.size(); ++i) {
        repeats += samples[i] == samples[i - 1] ? 1 : 0;
    }
    EXPECT_LT(repeats, 50u) << "16 are to be expected";
}

INSTANTIATE_TEST_SUITE_P(Families, Nrf5x, ::testing::Values(true, false), family);

class Stm32 : public ::testing::TestWithParam<bool> {
  protected:
    stm32_rng hardware{GetParam()};
    sotto_stm32 stm32{
        bank(hardware),
        static_cast<uint8_t>(GetParam() ? SOTTO_STM32_CONDITIONING_RESET : SOTTO_STM32_RESTART)};
    sotto_entropy source = sotto_stm32_entropy(&stm32);
};

TEST_P(Stm32, EveryFaultIsNamed) {
    check(hardware, source,
          {{fault::none, SOTTO_OK},
           {fault::slow, SOTTO_OK},
           {fault::silent, SOTTO_ERR_ENTROPY_TIMEOUT},
           {fault::seed_once, SOTTO_OK},
           {fault::seed_stays, SOTTO_ERR_ENTROPY_FAILED},
           {fault::stuck, SOTTO_ERR_ENTROPY_FAILED},
           {fault::biased, SOTTO_ERR_ENTROPY_FAILED},
           {fault::clock_error, SOTTO_ERR_ENTROPY_FAILED},
           {fault::clock_was_slow, SOTTO_OK},
           {fault::same_block, SOTTO_ERR_ENTROPY_STUCK}});
    EXPECT_TRUE(hardware.clock_flag_cleared);
    EXPECT_FALSE(hardware.is_enabled()) << "it is left as it was found";
}

TEST_P(Stm32, ASeedErrorBetweenPollAndReadIsMended) {
    for (const fault now : {fault::seed_read, fault::zero_read}) {
        stm32_rng another(GetParam());
        another.now = now;
        stm32.rng = bank(another);
        std::array<uint8_t, 64> bytes{};
        ASSERT_EQ(source.read(source.context, bytes.data(), bytes.size()), 64);
        expect_no_bad_word(bytes.data(), bytes.size());
        EXPECT_EQ(another.mended, now == fault::seed_read || GetParam() ? 1 : 0);
    }
}

TEST_P(Stm32, TheOtherFamilysRecoveryDoesNotHelp) {
    stm32.recovery = GetParam() ? SOTTO_STM32_RESTART : SOTTO_STM32_CONDITIONING_RESET;
    hardware.now = fault::seed_once;
    std::array<uint8_t, 64> bytes{};
    EXPECT_EQ(source.read(source.context, bytes.data(), bytes.size()), SOTTO_ERR_ENTROPY_FAILED);
}

INSTANTIATE_TEST_SUITE_P(Families, Stm32, ::testing::Values(true, false), recovery);

TEST(Rp2040, EveryFaultIsNamed) {
    rp2040_rosc hardware;
    check(hardware, sotto_rp2040_entropy_at(bank(hardware)),
          {{fault::none, SOTTO_OK},
           {fault::biased, SOTTO_OK},
           {fault::stuck, SOTTO_ERR_ENTROPY_STUCK},
           {fault::locked, SOTTO_ERR_ENTROPY_STUCK},
           {fault::not_running, SOTTO_ERR_ENTROPY_FAILED}});
}

TEST(Rp2040, ABiasIsTakenAway) {
    rp2040_rosc hardware;
    hardware.now = fault::biased; // 80 % ones
    const sotto_entropy source = sotto_rp2040_entropy_at(bank(hardware));
    std::vector<uint8_t> bits(40000);
    ASSERT_EQ(source.read(source.context, bits.data(), bits.size()), 40000);
    const auto ones = std::count(bits.begin(), bits.end(), 1);
    EXPECT_EQ(ones + std::count(bits.begin(), bits.end(), 0), 40000);
    EXPECT_NEAR(static_cast<double>(ones), 20000, 6.2 * 100) << "6.2 standard deviations";
    // Nor does a bit tell the next: each is read when the oscillator has gone on.
    double equal = 0;
    for (size_t i = 1; i < bits.size(); ++i) {
        equal += bits[i] == bits[i - 1] ? 1 : 0;
    }
    EXPECT_NEAR(equal, 20000, 6.2 * 100);
}

TEST(Rp2350, EveryFaultIsNamed) {
    rp2350_trng hardware;
    check(hardware, sotto_rp2350_entropy_at(bank(hardware)),
          {{fault::none, SOTTO_OK},
           {fault::slow, SOTTO_OK},
           {fault::stuck, SOTTO_ERR_ENTROPY_STUCK},
           {fault::same_block, SOTTO_ERR_ENTROPY_STUCK},
           {fault::seed_stays, SOTTO_ERR_ENTROPY_FAILED},
           {fault::silent, SOTTO_ERR_ENTROPY_TIMEOUT},
           {fault::checks_off, SOTTO_ERR_ENTROPY_WEAK}});
    check_bias(hardware, sotto_rp2350_entropy_at(bank(hardware)));
    EXPECT_FALSE(hardware.is_on()) << "it is switched off again";
}

TEST(Rp2350, ABlockThatFailsACheckIsThrownAway) {
    for (const fault now : {fault::seed_once, fault::seed_read, fault::zero_read}) {
        rp2350_trng hardware;
        hardware.now = now;
        const sotto_entropy source = sotto_rp2350_entropy_at(bank(hardware));
        std::array<uint8_t, 240> samples{};
        ASSERT_EQ(source.read(source.context, samples.data(), samples.size()), 240);
        EXPECT_EQ(hardware.resets, now == fault::zero_read ? 2 : 4);
        expect_no_bad_word(samples.data(), samples.size());
    }
}

// A device sends new reports every time, whatever the port.
TEST(Ports, TwoStartsDoNotRepeat) {
    nrf5x_rng nrf(true);
    stm32_rng st(false);
    const sotto_stm32 stm32 = {bank(st), SOTTO_STM32_RESTART};
    rp2040_rosc rosc;
    rp2350_trng trng;
    std::set<std::vector<uint8_t>> sent;
    for (const sotto_entropy &source :
         {sotto_nrf5x_entropy_at(bank(nrf)), sotto_stm32_entropy(&stm32),
          sotto_rp2040_entropy_at(bank(rosc)), sotto_rp2350_entropy_at(bank(trng))}) {
        for (int i = 0; i < 5; ++i) {
            device started(source);
            std::vector<uint8_t> buffer(SOTTO_FLUSH_BYTES_MIN);
            size_t length = 0;
            ASSERT_EQ(started.init(), SOTTO_OK);
            ASSERT_EQ(started.advance(0), SOTTO_OK);
            ASSERT_EQ(started.report(), SOTTO_OK);
            ASSERT_EQ(sotto_flush(&started.fleet.client, buffer.data(), buffer.size(), &length),
                      SOTTO_OK);
            sent.insert(buffer);
        }
    }
    EXPECT_EQ(sent.size(), 20u);
}

} // namespace
