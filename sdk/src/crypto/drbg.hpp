// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_DRBG_HPP
#define SOTTO_CRYPTO_DRBG_HPP

#include "sotto/status.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto::crypto {

// CTR_DRBG over AES-128 with derivation function (NIST SP 800-90A, 10.2.1), without heap. `state`
// is caller memory of drbg_state_bytes, aligned to 8; it must not be copied or moved once seeded.
inline constexpr size_t drbg_state_bytes = 256;

// Fills bytes and returns 0, or returns anything else when it can't.
using entropy_function = int (*)(void *context, unsigned char *bytes, size_t length_bytes);

// Errors: CRYPTO, also when the entropy function failed.
sotto_status drbg_seed(void *state, entropy_function entropy, void *context);
// Mixes in fresh entropy and what need not be random: the additional input of NIST SP 800-90A, at
// most 256 bytes. Errors as above; the state is then unchanged or better where the entropy function
// failed, and gone until drbg_seed() where the PSA library did.
sotto_status drbg_reseed(void *state, const uint8_t *additional, size_t length_bytes);
// At most 1024 bytes; reseeds by itself when due. Errors as above, bytes then wiped.
sotto_status drbg_generate(void *state, uint8_t *bytes, size_t length_bytes);
void drbg_wipe(void *state);

} // namespace sotto::crypto
#endif
