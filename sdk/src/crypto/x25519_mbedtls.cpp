// SPDX-License-Identifier: Apache-2.0
#include "crypto/x25519.hpp"

#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

// Project Everest's, as everest/Hacl_Curve25519.h declares it; that header wants a hosted C
// library.
extern "C" void Hacl_Curve25519_crypto_scalarmult(uint8_t *out, uint8_t *scalar, uint8_t *point);

namespace sotto::crypto {

sotto_status x25519(const uint8_t scalar[x25519_bytes], const uint8_t point[x25519_bytes],
                    uint8_t out[x25519_bytes]) {
    // Everest's parameters are not const, but it writes to the first only.
    Hacl_Curve25519_crypto_scalarmult(out, const_cast<uint8_t *>(scalar),
                                      const_cast<uint8_t *>(point));
    uint32_t any = 0;
    for (size_t i = 0; i < x25519_bytes; ++i) {
        any |= out[i];
    }
    return declassified(is_zero(any)) == 0 ? sotto_status{SOTTO_OK}
                                           : sotto_status{SOTTO_ERR_CRYPTO};
}

} // namespace sotto::crypto
