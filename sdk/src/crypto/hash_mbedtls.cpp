// SPDX-License-Identifier: Apache-2.0
#include "crypto/hash.hpp"

#include "crypto/wipe.hpp"

#include <mbedtls/sha256.h>

namespace sotto::crypto {

// Of what next(part) gives until it answers false.
template <typename Next> static sotto_status hash(Next next, uint8_t digest[digest_bytes]) {
    mbedtls_sha256_context context;
    mbedtls_sha256_init(&context);
    int failed = mbedtls_sha256_starts(&context, 0);
    for (bytes part = {}; next(&part);) {
        failed |= mbedtls_sha256_update(&context, static_cast<const unsigned char *>(part.data),
                                        part.size);
    }
    failed |= mbedtls_sha256_finish(&context, digest);
    mbedtls_sha256_free(&context);
    if (failed != 0) {
        wipe(digest, digest_bytes);
        return SOTTO_ERR_CRYPTO;
    }
    return SOTTO_OK;
}

sotto_status sha256(const bytes *parts, size_t count, uint8_t digest[digest_bytes]) {
    const bytes *const end = parts + count;
    const auto next = [&](bytes *part) {
        if (parts == end) {
            return false;
        }
        *part = *parts++;
        return true;
    };
    return hash(next, digest);
}

sotto_status sha256(next_part next, void *context, uint8_t digest[digest_bytes]) {
    return hash([=](bytes *part) { return next(context, part); }, digest);
}

} // namespace sotto::crypto
