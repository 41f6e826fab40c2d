// SPDX-License-Identifier: Apache-2.0
#include "crypto/hash.hpp"

#include "crypto/wipe.hpp"

#include <mbedtls/sha256.h>

namespace sotto::crypto {
namespace {

constexpr size_t block_bytes = 64;

sotto_status hash(const bytes *parts, size_t count, uint8_t digest[digest_bytes]) {
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

constexpr size_t parts_max = 8;

} // namespace

sotto_status sha256(const bytes *parts, size_t count, uint8_t digest[digest_bytes]) {
    return hash(parts, count, digest);
}

// Mbed TLS's own HMAC needs a heap.
sotto_status hmac_sha256(const uint8_t key[digest_bytes], const bytes *parts, size_t count,
                         uint8_t digest[digest_bytes]) {
    if (count > parts_max) {
        wipe(digest, digest_bytes);
        return SOTTO_ERR_CRYPTO;
    }
    uint8_t pad[block_bytes];
    const auto fill_pad = [&](uint8_t with) {
        for (size_t i = 0; i < block_bytes; ++i) {
            pad[i] = static_cast<uint8_t>((i < digest_bytes ? key[i] : 0) ^ with);
        }
    };
    bytes inner[parts_max + 1] = {{pad, block_bytes}};
    for (size_t i = 0; i < count; ++i) {
        inner[i + 1] = parts[i];
    }
    fill_pad(0x36);
    sotto_status status = hash(inner, count + 1, digest);
    if (status == SOTTO_OK) {
        fill_pad(0x5c);
        const bytes outer[] = {{pad, block_bytes}, {digest, digest_bytes}};
        status = hash(outer, 2, digest);
    }
    wipe(pad, sizeof pad);
    return status;
}

} // namespace sotto::crypto
