// SPDX-License-Identifier: Apache-2.0
#include "seal/wipe_stack.hpp"

#include "crypto/wipe.hpp"

#include <stddef.h>
#include <stdint.h>

namespace sotto::seal {

// X25519 goes deepest: 2.1 kB below a seal on Cortex-M0, more where pointers are wide.
// tools/measure counts what a flush leaves.
[[gnu::noinline]] void wipe_stack_below() {
    constexpr size_t depth_bytes = sizeof(void *) == 4 ? 2112 : 4096;
    uint8_t below[depth_bytes];
    crypto::wipe(below, sizeof below);
}

} // namespace sotto::seal
