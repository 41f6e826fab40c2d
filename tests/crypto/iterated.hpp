// SPDX-License-Identifier: Apache-2.0
#ifndef ITERATED_HPP
#define ITERATED_HPP

#include "crypto/x25519.hpp"
#include "decoded.hpp"

inline uint32_t number(const char *digits) {
    uint32_t n = 0;
    for (; *digits != '\0'; ++digits) {
        n = n * 10 + static_cast<uint32_t>(*digits - '0');
    }
    return n;
}

// RFC 7748, 5.2: the scalar becomes the next point, the result the next scalar.
inline bool iterated(const char *times, const char *expected) {
    using namespace sotto::crypto;
    uint8_t k[x25519_bytes] = {9}, u[x25519_bytes] = {9}, out[x25519_bytes];
    for (uint32_t i = number(times); i-- > 0;) {
        if (x25519(k, u, out) != SOTTO_OK) {
            return false;
        }
        for (size_t j = 0; j < x25519_bytes; ++j) {
            u[j] = k[j];
            k[j] = out[j];
        }
    }
    return short_bytes(expected).is(k);
}

#endif
