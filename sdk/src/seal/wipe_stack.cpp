// SPDX-License-Identifier: Apache-2.0
#include "seal/wipe_stack.hpp"

#include "crypto/wipe.hpp"

#include <stddef.h>
#include <stdint.h>

namespace sotto::seal {

// How deep a seal goes where pointers have 4 bytes: tests/qemu/build_types.sh measures it.
#if defined(SOTTO_SEAL_STACK_BYTES)
constexpr size_t narrow_bytes = SOTTO_SEAL_STACK_BYTES;
#elif defined(__OPTIMIZE__)
constexpr size_t narrow_bytes = 1408;
#else
constexpr size_t narrow_bytes = 4224;
#endif
constexpr size_t depth_bytes = sizeof(void *) == 4 ? narrow_bytes : narrow_bytes * 2;

[[gnu::noinline]] void wipe_stack_below() {
    uint8_t below[depth_bytes];
    crypto::wipe(below, sizeof below);
}

} // namespace sotto::seal
