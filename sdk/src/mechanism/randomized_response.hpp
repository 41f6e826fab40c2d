// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_RANDOMIZED_RESPONSE_HPP
#define SOTTO_MECHANISM_RANDOMIZED_RESPONSE_HPP

#include "random/bernoulli.hpp"

namespace sotto {

// Randomized response for one bit (Warner 1965), as the ladder of Koufogiannis, Han, Pappas 2015:
//   b_top = value xor Bernoulli(1 / (1 + e^epsilon_top)),  b_i = b_{i+1} xor Bernoulli(s_i).
// Every lower level is a randomised function of the one above. Publishing any set of levels
// therefore loses the epsilon of the highest of them and no more. A one-bit mean uses it on its
// rounded bit. Laplace-threshold bits on the unit grid are the same thing (flip q / (1 + q) = 1 /
// (1 + e^epsilon)).
//
// The bit at a level from the true bit (top) or from the bit above it (below the top).
// Takes bernoulli_bytes. Pure; fixed time for every bit and all randomness.
inline uint32_t randomized_response(const sotto_threshold &flip, uint32_t bit,
                                    const uint8_t *random) {
    return (bit & 1) ^ bernoulli(flip, random);
}

} // namespace sotto
#endif
