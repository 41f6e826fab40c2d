// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_PROBE_HPP
#define SOTTO_CRYPTO_PROBE_HPP

#include "sotto/status.h"

#include <stdint.h>

namespace sotto::crypto {

// Has the library all that sealing takes, where `seals`, and requests, where there is a key for
// them (64 bytes)? Asked before a device measures anything. Over PSA one X25519 is computed; over
// Mbed TLS the linker has answered. Errors: NO_X25519, NO_CHACHA20_POLY1305, NO_P256, NO_HEAP;
// CRYPTO, also when the key is no point of the curve.
sotto_status probe(bool seals, const uint8_t *request_key);

} // namespace sotto::crypto
#endif
