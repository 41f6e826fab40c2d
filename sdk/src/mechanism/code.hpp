// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_CODE_HPP
#define SOTTO_MECHANISM_CODE_HPP

#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {
struct permanent_code;
} // namespace sotto

// A metric's tables name this, so that a program links the core of its registry's mechanisms alone.
// ladder.hpp calls the draws, once it has looked at their arguments.
struct sotto_code {
    uint8_t mechanism; // SOTTO_MECHANISM_...
    size_t (*level_bytes)(const sotto_metric &metric, uint32_t level);
    uint32_t (*draw)(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                     const uint8_t *random);
    // Are the metric's tables such as tools/sotto-registry writes?
    bool (*is_sound)(const sotto_metric &metric);
    const sotto::permanent_code *permanent; // of noise that lasts; null: there is none
};

// The same for the steps above the ladder.
struct sotto_forward_code {
    size_t (*bytes)(const sotto_metric &metric, uint32_t step);
    uint32_t (*draw)(const sotto_metric &metric, uint32_t step, uint32_t index, uint32_t last,
                     uint32_t true_word, const uint8_t *random);
    bool (*is_sound)(const sotto_metric &metric);
};

#endif
