// SPDX-License-Identifier: Apache-2.0
// PSA Crypto has no function for this.
#include "crypto/wipe.hpp"

#include <stdint.h>

namespace sotto::crypto {

void wipe(void *memory, size_t length_bytes) {
    auto *bytes = static_cast<volatile uint8_t *>(memory);
    for (size_t i = 0; i < length_bytes; ++i) {
        bytes[i] = 0;
    }
#if defined(__GNUC__)
    // The compiler must believe that somebody reads the memory later.
    __asm__ volatile("" ::"r"(memory) : "memory");
#endif
}

} // namespace sotto::crypto
