// SPDX-License-Identifier: Apache-2.0
#include "random/modular_laplace.hpp"

#include "random/fixed_time.hpp"

namespace sotto {

uint32_t modular_laplace(const sotto_laplace_noise &noise, const uint8_t *random) {
    uint32_t choice = 0;
    for (size_t i = 0; i < 8; ++i) {
        choice |= random[i];
    }
    const mask is_uniform = is_zero(choice);
    return select(is_uniform, load32(random + 8), laplace(noise, random + uniform_choice_bytes));
}

} // namespace sotto
