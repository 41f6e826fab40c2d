// SPDX-License-Identifier: Apache-2.0
#include "crypto/hash.hpp"

#include "crypto/library_error.hpp"
#include "crypto/wipe.hpp"

#include <mbedtls/sha256.h>

namespace sotto::crypto {

sotto_status sha256(next_part next, void *context, uint8_t digest[digest_bytes]) {
    mbedtls_sha256_context state;
    mbedtls_sha256_init(&state);
    int failed = mbedtls_sha256_starts(&state, 0);
    for (bytes part = {}; failed == 0 && next(context, &part);) {
        failed =
            mbedtls_sha256_update(&state, static_cast<const unsigned char *>(part.data), part.size);
    }
    if (failed == 0) {
        failed = mbedtls_sha256_finish(&state, digest);
    }
    mbedtls_sha256_free(&state);
    keep_library_error(failed);
    if (failed != 0) {
        wipe(digest, digest_bytes);
        return SOTTO_ERR_CRYPTO;
    }
    return SOTTO_OK;
}

} // namespace sotto::crypto
