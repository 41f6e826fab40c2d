// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_SEAL_WIPE_STACK_HPP
#define SOTTO_SEAL_WIPE_STACK_HPP

namespace sotto::seal {

// Zeroes the stack below the caller as deep as sealing goes: libraries leave copies of what they
// worked with in their frames.
void wipe_stack_below();

// As deep as making a batch and sealing it go.
void wipe_stack_below_batch();

} // namespace sotto::seal
#endif
