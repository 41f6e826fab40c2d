// SPDX-License-Identifier: Apache-2.0
#include "seal/wipe_stack.hpp"

#include "crypto/wipe.hpp"

#include <stddef.h>

namespace sotto::seal {

// How deep a seal goes where pointers have 4 bytes: tests/qemu/build_types.sh measures it.
#if defined(SOTTO_SEAL_STACK_BYTES)
constexpr size_t narrow_bytes = SOTTO_SEAL_STACK_BYTES;
#elif defined(__OPTIMIZE__)
constexpr size_t narrow_bytes = 1408;
#else
constexpr size_t narrow_bytes = 4224;
#endif

constexpr size_t batch_bytes = 256; // the frames above the seal

void wipe_stack_below() { crypto::wipe_stack_below<narrow_bytes>(); }
void wipe_stack_below_batch() { crypto::wipe_stack_below<narrow_bytes + batch_bytes>(); }

} // namespace sotto::seal
