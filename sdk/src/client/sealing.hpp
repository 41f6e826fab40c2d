// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_SEALING_HPP
#define SOTTO_CLIENT_SEALING_HPP

#include "report/encode.hpp"

namespace sotto::device {

// The key that this epoch's batches are sealed with; null when the registry has none at all. The
// randomness for sealing is at hand then: a flush that lacks it must fail before it stores. Errors:
// KEY_RETIRED, when the registry has keys and all of them are; ENTROPY_..., CRYPTO.
sotto_status prepare_seal(sotto_client &client, const sotto_seal_key **key);

// Seals a finished envelope where it is. Errors: ENTROPY_..., CRYPTO; whoever owns the buffer wipes
// it then.
sotto_status seal_batch(sotto_client &client, const sotto_seal_key &key,
                        const report::sealable &parts);

// Zeroes the stack below the caller, where a batch was made and sealed. Without keys, nothing.
void wipe_sealing_stack(const sotto_client &client);

} // namespace sotto::device
#endif
