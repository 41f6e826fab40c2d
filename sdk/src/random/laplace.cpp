// SPDX-License-Identifier: Apache-2.0
#include "random/laplace.hpp"

#include "random/bernoulli.hpp"
#include "random/fixed_time.hpp"

namespace sotto {

uint32_t laplace(const sotto_laplace_noise &noise, const uint8_t *random) {
    const mask nonzero = mask_of_bit(bernoulli(noise.nonzero, random));
    const mask negative = mask_of_bit(random[bernoulli_bytes]);
    const uint32_t size = 1 + geometric(noise.size, random + 12);
    return nonzero & negate_if(negative, size);
}

} // namespace sotto
