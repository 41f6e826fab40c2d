// SPDX-License-Identifier: Apache-2.0
#include "crypto/x25519.hpp"

#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

#include <mbedtls/build_info.h> // the name that our build gives it

// Project Everest's, as everest/Hacl_Curve25519.h declares it; that header wants a hosted C
// library.
extern "C" void Hacl_Curve25519_crypto_scalarmult(uint8_t *out, uint8_t *scalar, uint8_t *point);

#if defined(__ARM_ARCH_6M__)
// These cores multiply 32 bits into 32. X25519 and Poly1305 need more, and what GCC's library has
// for it (12.2's at least) branches on a carry. This takes its place in any program that seals:
// the library comes last, and this object has to be linked.
extern "C" uint64_t __aeabi_lmul(uint64_t a, uint64_t b) {
    const uint32_t a_low = static_cast<uint32_t>(a), b_low = static_cast<uint32_t>(b);
    const uint32_t a_high = static_cast<uint32_t>(a >> 32), b_high = static_cast<uint32_t>(b >> 32);
    const uint32_t a0 = a_low & 0xffff, a1 = a_low >> 16, b0 = b_low & 0xffff, b1 = b_low >> 16;
    // No sum below leaves 32 bits: (2^16 - 1)^2 + 2^16 - 1 < 2^32.
    const uint32_t first = a0 * b0;
    const uint32_t second = a1 * b0 + (first >> 16);
    const uint32_t third = a0 * b1 + (second & 0xffff);
    const uint32_t low = third << 16 | (first & 0xffff);
    const uint32_t high = a1 * b1 + (second >> 16) + (third >> 16);
    return static_cast<uint64_t>(high + a_high * b_low + a_low * b_high) << 32 | low;
}
// Its other name there: nothing may be left that brings the library's.
extern "C" uint64_t __muldi3(uint64_t, uint64_t) __attribute__((alias("__aeabi_lmul")));
#endif

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
