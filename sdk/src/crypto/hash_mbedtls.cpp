// SPDX-License-Identifier: Apache-2.0
#include "crypto/hash.hpp"

#include "crypto/wipe.hpp"

#include <mbedtls/sha256.h>

namespace sotto::crypto {

sotto_status sha256(const bytes *parts, size_t count, uint8_t digest[digest_bytes]) {
    mbedtls_sha256_context context;
    mbedtls_sha256_init(&context);
    int failed = mbedtls_sha256_starts(&context, 0);
    for (size_t i = 0; i < count; ++i) {
        failed |= mbedtls_sha256_update(&context, static_cast<const unsigned char *>(parts[i].data),
                                        parts[i].size);
    }
    failed |= mbedtls_sha256_finish(&context, digest);
    mbedtls_sha256_free(&context);
    if (failed != 0) {
        wipe(digest, digest_bytes);
        return SOTTO_ERR_CRYPTO;
    }
    return SOTTO_OK;
}

} // namespace sotto::crypto
