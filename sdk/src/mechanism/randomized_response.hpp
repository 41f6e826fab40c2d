// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_RANDOMIZED_RESPONSE_HPP
#define SOTTO_MECHANISM_RANDOMIZED_RESPONSE_HPP

#include "random/bytes.hpp"
#include "sotto/registry.h"
#include "sotto/status.h"

#include <stdint.h>

namespace sotto {

// Randomized response for one bit (Warner 1965), as the ladder of Koufogiannis, Han, Pappas 2015:
//   b_top = value xor Bernoulli(1 / (1 + e^epsilon_top)),  b_i = b_{i+1} xor Bernoulli(s_i).
// Every lower level is a randomised function of the one above, so publishing any set of levels
// loses the epsilon of the highest of them and no more.
//
// Writes the bit published at `level` (0 is the most private). value is 0 or 1; `random` holds at
// least metric.random_bytes. Errors, *published then 0: WRONG_TYPE when the metric is of another
// mechanism, ARGUMENT for a level that does not exist or too few random bytes.
// Pure and thread-safe; fixed time for every value and all randomness.
sotto_status randomized_response(const sotto_metric &metric, uint32_t level, uint32_t value,
                                 random_bytes random, uint32_t *published);

} // namespace sotto
#endif
