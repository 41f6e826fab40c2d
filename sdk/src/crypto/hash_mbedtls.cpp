// SPDX-License-Identifier: Apache-2.0
#include "crypto/hash.hpp"

#include "crypto/wipe.hpp"

#include <mbedtls/sha256.h>

namespace sotto::crypto {

static_assert(alignof(mbedtls_sha256_context) <= 8);

static mbedtls_sha256_context *context_of(uint8_t *bytes) {
    return reinterpret_cast<mbedtls_sha256_context *>(bytes);
}

hasher::hasher() {
    static_assert(sizeof(mbedtls_sha256_context) <= sizeof context_);
    mbedtls_sha256_init(context_of(context_));
    failed_ = mbedtls_sha256_starts(context_of(context_), 0) != 0;
}

hasher::~hasher() { mbedtls_sha256_free(context_of(context_)); }

void hasher::add(const void *data, size_t size_bytes) {
    failed_ |= mbedtls_sha256_update(context_of(context_), static_cast<const unsigned char *>(data),
                                     size_bytes) != 0;
}

sotto_status hasher::finish(uint8_t digest[digest_bytes]) {
    failed_ |= mbedtls_sha256_finish(context_of(context_), digest) != 0;
    if (failed_) {
        wipe(digest, digest_bytes);
        return SOTTO_ERR_CRYPTO;
    }
    return SOTTO_OK;
}

sotto_status sha256(const bytes *parts, size_t count, uint8_t digest[digest_bytes]) {
    hasher hash;
    for (size_t i = 0; i < count; ++i) {
        hash.add(parts[i].data, parts[i].size);
    }
    return hash.finish(digest);
}

} // namespace sotto::crypto
