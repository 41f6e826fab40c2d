// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_WIPE_HPP
#define SOTTO_CRYPTO_WIPE_HPP

#include <stddef.h>

namespace sotto::crypto {

// Zeroes memory in a way that the compiler keeps.
void wipe(void *memory, size_t length_bytes);

} // namespace sotto::crypto
#endif
