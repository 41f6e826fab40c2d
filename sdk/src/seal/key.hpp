// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_SEAL_KEY_HPP
#define SOTTO_SEAL_KEY_HPP

#include "sotto/registry.h"

namespace sotto::seal {

// The newest key that may still be used in the epoch, or null.
const sotto_seal_key *key_for(const sotto_sealing &sealing, uint32_t epoch);

} // namespace sotto::seal
#endif
