// SPDX-License-Identifier: Apache-2.0
// Mbed TLS's CTR_DRBG, which drbg_mbedtls.cpp is a shell of, at the lengths of the published
// vectors.
#include "crypto_vectors.h"
#include "decoded.hpp"

#include <mbedtls/ctr_drbg.h>

namespace {

struct source {
    decoded<64> bytes;
    size_t at = 0;
};

int take(void *context, unsigned char *target, size_t length) {
    source &from = *static_cast<source *>(context);
    for (size_t i = 0; i < length; ++i) {
        if (from.at == from.bytes.size) {
            return -1;
        }
        target[i] = from.bytes.data[from.at++];
    }
    return 0;
}

void append(source &target, const char *hex) {
    const short_bytes more(hex);
    for (size_t i = 0; i < more.size; ++i) {
        target.bytes.data[target.bytes.size++] = more.data[i];
    }
}

bool is_right(const ctr_drbg_vector &v) {
    source from = {decoded<64>(v.entropy)};
    append(from, v.nonce);
    append(from, v.reseed_entropy);
    const short_bytes personalization(v.personalization), reseed(v.reseed_additional);
    const short_bytes first(v.additional_1), second(v.additional_2), expected(v.out);
    uint8_t out[64];
    mbedtls_ctr_drbg_context drbg;
    mbedtls_ctr_drbg_init(&drbg);
    mbedtls_ctr_drbg_set_entropy_len(&drbg, 16);
    const bool done =
        mbedtls_ctr_drbg_set_nonce_len(&drbg, 8) == 0 &&
        mbedtls_ctr_drbg_seed(&drbg, take, &from, personalization.data, personalization.size) ==
            0 &&
        mbedtls_ctr_drbg_reseed(&drbg, reseed.data, reseed.size) == 0 &&
        mbedtls_ctr_drbg_random_with_add(&drbg, out, sizeof out, first.data, first.size) == 0 &&
        mbedtls_ctr_drbg_random_with_add(&drbg, out, sizeof out, second.data, second.size) == 0;
    mbedtls_ctr_drbg_free(&drbg);
    return done && expected.size == sizeof out && expected.is(out);
}

} // namespace

bool generator_is_right() {
    bool right = true;
    for (const ctr_drbg_vector &v : ctr_drbg_vectors) {
        right &= is_right(v);
    }
    ctr_drbg_vector wrong = ctr_drbg_vectors[0];
    wrong.nonce = ctr_drbg_vectors[1].nonce;
    return right && !is_right(wrong);
}
