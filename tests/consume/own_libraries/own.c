/* SPDX-License-Identifier: Apache-2.0 */
#include "own.h"

#include <mbedtls/aes.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/sha256.h>
#include <mbedtls/version.h>
#include <pb_encode.h>
#include <string.h>

#if MBEDTLS_VERSION_MAJOR < 3
#define mbedtls_sha256 mbedtls_sha256_ret
#endif

static struct {
    uint8_t before[64];
    mbedtls_ctr_drbg_context generator;
    uint8_t behind[64];
} own;

static int entropy(void *context, unsigned char *bytes, size_t size) {
    (void)context;
    memset(bytes, 0x5a, size);
    return 0;
}

int own_begin(void) {
    memset(own.before, 0xa5, sizeof own.before);
    memset(own.behind, 0xa5, sizeof own.behind);
    mbedtls_ctr_drbg_init(&own.generator);
    return mbedtls_ctr_drbg_seed(&own.generator, entropy, NULL, NULL, 0) == 0 ? 0 : 10;
}

/* FIPS 197, C.3: a key of 256 bits. */
static int aes_256_is_right(void) {
    static const uint8_t answer[16] = {0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf,
                                       0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89};
    uint8_t key[32], text[16];
    mbedtls_aes_context aes;
    int status;
    size_t i;
    for (i = 0; i < sizeof key; ++i) {
        key[i] = (uint8_t)i;
    }
    for (i = 0; i < sizeof text; ++i) {
        text[i] = (uint8_t)(0x11 * i);
    }
    mbedtls_aes_init(&aes);
    status = mbedtls_aes_setkey_enc(&aes, key, 256);
    status = status != 0 ? status : mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_ENCRYPT, text, text);
    mbedtls_aes_free(&aes);
    return status == 0 && memcmp(text, answer, sizeof answer) == 0;
}

static int sha256_is_right(void) { /* FIPS 180-4: "abc" */
    static const uint8_t begin[4] = {0xba, 0x78, 0x16, 0xbf};
    uint8_t digest[32];
    return mbedtls_sha256((const uint8_t *)"abc", 3, digest, 0) == 0 &&
           memcmp(digest, begin, sizeof begin) == 0;
}

/* nanopb as it is by default: streams by callback, and messages of errors. */
static int nanopb_is_right(void) {
    uint8_t small[2];
    pb_ostream_t counting = PB_OSTREAM_SIZING;
    pb_ostream_t stream = pb_ostream_from_buffer(small, sizeof small);
    return pb_encode_varint(&counting, UINT64_MAX) && counting.bytes_written == 10 &&
           !pb_encode_varint(&stream, UINT64_MAX) &&
           strcmp(PB_GET_ERROR(&stream), "stream full") == 0;
}

static int is_whole(const uint8_t *guard) {
    size_t i;
    for (i = 0; i < sizeof own.before; ++i) {
        if (guard[i] != 0xa5) {
            return 0;
        }
    }
    return 1;
}

int own_next(uint8_t bytes[32]) {
    if (!aes_256_is_right()) {
        return 11;
    }
    if (!sha256_is_right()) {
        return 12;
    }
    if (!nanopb_is_right()) {
        return 13;
    }
    if (mbedtls_ctr_drbg_random(&own.generator, bytes, 32) != 0) {
        return 14;
    }
    mbedtls_ctr_drbg_free(&own.generator);
    return is_whole(own.before) && is_whole(own.behind) ? 0 : 15;
}
