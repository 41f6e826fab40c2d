// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_SEAL_HPKE_HPP
#define SOTTO_SEAL_HPKE_HPP

#include "crypto/aead.hpp"
#include "crypto/hash.hpp"
#include "crypto/x25519.hpp"

namespace sotto::seal {

// The sender's result of HPKE's key schedule. A secret.
struct sender_context {
    uint8_t key[crypto::aead_key_bytes];
    uint8_t base_nonce[crypto::aead_nonce_bytes];
};

// key_schedule_context of RFC 9180, 5.1: the mode, psk_id_hash and info_hash.
inline constexpr size_t schedule_bytes = 1 + 2 * crypto::digest_bytes;

// SetupBaseS of RFC 9180, 5.1.1, for the suite DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
// ChaCha20Poly1305 with the ephemeral private key given: any 32 random bytes are one. The schedule
// is that of the info. Fixed time; memory of its own is wiped, that of the functions below it is
// not. Errors: CRYPTO, also for a public key of small order; enc and the context are zeroed then.
sotto_status setup_sender(const uint8_t public_key[crypto::x25519_bytes],
                          const uint8_t ephemeral[crypto::x25519_bytes],
                          const uint8_t schedule[schedule_bytes], uint8_t enc[crypto::x25519_bytes],
                          sender_context &context);

} // namespace sotto::seal
#endif
