// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_DISCRETE_LAPLACE_HPP
#define SOTTO_MECHANISM_DISCRETE_LAPLACE_HPP

#include "random/laplace.hpp"
#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

// Discrete Laplace noise on an integer, and its ladder: Koufogiannis, Han, Pappas 2015 on the
// integers, top down. Level i is a randomised function of the published level i + 1 alone (see
// sotto_discrete_laplace). Publishing any set of levels therefore loses the epsilon of the highest.
// The only truncation is that of value plus noise: noise is never cut or drawn again. Numbers are
// two's complement in a uint32_t. All of it pure and in fixed time.

// The true value within its range.
uint32_t clamped_value(const sotto_discrete_laplace &table, uint32_t value);

// Brings a vector of clamped values within l1_half of the centre floor((min + max) / 2), in L1.
// Each number in turn gets what the ones before it have left. Returns 1 if that changed it.
uint32_t clip_l1(const sotto_discrete_laplace &table, uint32_t *values, size_t length);

inline size_t laplace_top_bytes(const sotto_discrete_laplace &table, uint32_t level) {
    return laplace_bytes(table.noise[level]);
}
// The highest level, from the clamped true value.
uint32_t laplace_top(const sotto_discrete_laplace &table, uint32_t level, uint32_t value,
                     const uint8_t *random);

inline size_t laplace_below_bytes(const sotto_discrete_laplace &table, uint32_t level) {
    return laplace_bytes(table.noise[level]) + geometric_bytes(table.noise[level + 1].size);
}
// Level `level`, below the top, from the number published one above. Needs no true value, so it
// also tightens: it makes a more private number of a published one.
uint32_t laplace_below(const sotto_discrete_laplace &table, uint32_t level, uint32_t above,
                       const uint8_t *random);

// Random bytes for one draw of a level, the top's or another's.
inline size_t lattice_bytes(const sotto_discrete_laplace &table, uint32_t level,
                            uint32_t level_count) {
    return level + 1 == level_count ? laplace_top_bytes(table, level)
                                    : laplace_below_bytes(table, level);
}

// Is the noise of every level sound, so that no sum of the chain leaves 32 bits?
bool is_lattice(const sotto_discrete_laplace &table, uint8_t level_count);

inline size_t forward_laplace_bytes(const sotto_forward_laplace &step) {
    return 16 + geometric_bytes(step.within) + geometric_bytes(step.beyond) +
           geometric_bytes(step.tail);
}
// A level above the ladder, drawn forward from the last number published and the true value
// (RelaxPrivacy, algorithm 1 there, on the integers). No probability depends on the noise.
uint32_t forward_laplace(const sotto_discrete_laplace &table, const sotto_forward_laplace &step,
                         uint32_t last, uint32_t value, const uint8_t *random);

} // namespace sotto
#endif
