// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_WIPE_HPP
#define SOTTO_CRYPTO_WIPE_HPP

#include <stddef.h>
#include <stdint.h>

namespace sotto::crypto {

// Zeroes memory in a way that the compiler keeps.
void wipe(void *memory, size_t length_bytes);

// Zeroes the stack below the caller, where earlier calls left copies. It goes `NarrowBytes` deep
// where pointers have 4 bytes, and twice as deep elsewhere.
template <size_t NarrowBytes> [[gnu::noinline]] void wipe_stack_below() {
    uint8_t below[sizeof(void *) == 4 ? NarrowBytes : NarrowBytes * 2];
    wipe(below, sizeof below);
}

} // namespace sotto::crypto
#endif
