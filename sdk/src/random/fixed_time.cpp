// SPDX-License-Identifier: Apache-2.0
#include "random/fixed_time.hpp"

namespace sotto {

uint32_t clamp_signed(uint32_t x, uint32_t low, uint32_t high) {
    x = select(less_signed(x, low), low, x);
    return select(less_signed(high, x), high, x);
}

} // namespace sotto
