// SPDX-License-Identifier: Apache-2.0
// The RNG of STM32 by the HAL, whose older families hand out a word in spite of a seed error.
#include "../unit/forgetful.hpp"
#include "metrics.h"
#include "sotto_stm32_hal.h"

#include <gtest/gtest.h>
#include <random>

namespace {
enum class rng_fault { none, error, seed_error, seed_error_stays, zero };
rng_fault now = rng_fault::none;
RNG_TypeDef registers;
RNG_HandleTypeDef rng = {&registers};
int words = 0, starts = 0;

HAL_StatusTypeDef give(uint32_t *word) {
    static std::mt19937 engine(11);
    ++words;
    *word = static_cast<uint32_t>(engine());
    const bool is_faulty = now != rng_fault::none && words % 8 == 0;
    if (now == rng_fault::seed_error_stays || (is_faulty && now == rng_fault::seed_error)) {
        registers.SR = registers.SR | RNG_IT_SEI | RNG_FLAG_SECS;
        *word = 0x55555555;
    } else if (is_faulty) {
        *word = 0;
        return now == rng_fault::error ? HAL_ERROR : HAL_OK;
    }
    return HAL_OK;
}
} // namespace

extern "C" {
void write_status(RNG_HandleTypeDef *handle, uint32_t value) {
    handle->Instance->SR = handle->Instance->SR & (value | ~RNG_IT_SEI);
}
void enable(RNG_HandleTypeDef *handle) {
    starts += (handle->Instance->CR & RNG_CR_RNGEN) == 0 ? 1 : 0;
    handle->Instance->CR = handle->Instance->CR | RNG_CR_RNGEN;
    handle->Instance->SR = handle->Instance->SR & ~RNG_FLAG_SECS;
}
HAL_StatusTypeDef HAL_RNG_GenerateRandomNumber(RNG_HandleTypeDef *hrng, uint32_t *random32bit) {
    return (hrng->Instance->CR & RNG_CR_RNGEN) != 0 ? give(random32bit) : HAL_TIMEOUT;
}
}

namespace {
sotto_status start(rng_fault fault) {
    static test_fleet_client device;
    now = fault;
    words = starts = 0;
    registers = {RNG_CR_RNGEN, 0, 0};
    const sotto_entropy source = sotto_stm32_hal_entropy(&rng);
    const sotto_port port = forgetful(source);
    const sotto_status status = test_fleet_init(&device, &port);
    sotto_deinit(&device.client);
    return status;
}

TEST(Stm32Hal, Starts) {
    EXPECT_EQ(start(rng_fault::none), SOTTO_OK);
    EXPECT_EQ(starts, 0) << "nothing to mend";
}

TEST(Stm32Hal, AFaultThatPassesIsMendedByAStart) {
    for (const rng_fault fault : {rng_fault::error, rng_fault::seed_error, rng_fault::zero}) {
        EXPECT_EQ(start(fault), SOTTO_OK);
        EXPECT_GT(starts, 0);
    }
}

TEST(Stm32Hal, AWordInSpiteOfASeedErrorIsNotUsed) {
    uint8_t bytes[64];
    now = rng_fault::seed_error;
    registers = {RNG_CR_RNGEN, 0, 0};
    words = 0;
    const sotto_entropy source = sotto_stm32_hal_entropy(&rng);
    ASSERT_EQ(source.read(source.context, bytes, sizeof bytes), 64);
    for (size_t i = 0; i < sizeof bytes; i += 4) {
        EXPECT_FALSE(bytes[i] == 0x55 && bytes[i + 1] == 0x55 && bytes[i + 2] == 0x55) << i;
    }
}

TEST(Stm32Hal, AFaultThatStaysIsTold) {
    EXPECT_EQ(start(rng_fault::seed_error_stays), SOTTO_ERR_ENTROPY_FAILED);
    EXPECT_EQ(words, 3);
}
} // namespace
