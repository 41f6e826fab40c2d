// SPDX-License-Identifier: Apache-2.0
// In place of the generator: whatever it gives is a secret.
#include "crypto/drbg.hpp"

#include <valgrind/memcheck.h>

namespace sotto::crypto {

sotto_status drbg_seed(void *, entropy_function, void *) { return SOTTO_OK; }
sotto_status drbg_reseed(void *, const uint8_t *, size_t) { return SOTTO_OK; }

sotto_status drbg_generate(void *, uint8_t *bytes, size_t length_bytes) {
    static uint32_t state = 1;
    for (size_t i = 0; i < length_bytes; ++i) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = static_cast<uint8_t>(state >> 24);
    }
    VALGRIND_MAKE_MEM_UNDEFINED(bytes, length_bytes);
    return SOTTO_OK;
}

void drbg_wipe(void *) {}

} // namespace sotto::crypto
