// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_SEAL_SEAL_HPP
#define SOTTO_SEAL_SEAL_HPP

#include "sotto/registry.h"

namespace sotto::seal {

// The newest key that may still be used in the epoch, or null.
const sotto_seal_key *key_for(const sotto_sealing &sealing, uint32_t epoch);

// Zeroes the stack below the caller as deep as sealing goes: libraries leave copies of what they
// worked with in their frames.
void wipe_stack_below();

} // namespace sotto::seal
#endif
