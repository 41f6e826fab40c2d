// SPDX-License-Identifier: Apache-2.0
#include "random/uniform.hpp"

#include "random/fixed_time.hpp"

namespace sotto {

uint32_t uniform_below(uint32_t size, const uint8_t *random) {
    uint32_t carry = 0;
    for (size_t i = 0; i < 4; ++i) {
        const uint32_t quarter =
            static_cast<uint32_t>(random[2 * i]) | static_cast<uint32_t>(random[2 * i + 1]) << 8;
        carry = (quarter * size + carry) >> 16;
    }
    return carry;
}

} // namespace sotto
