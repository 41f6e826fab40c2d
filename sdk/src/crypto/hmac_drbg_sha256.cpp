// SPDX-License-Identifier: Apache-2.0
#include "crypto/hmac_drbg_sha256.hpp"

#include "crypto/wipe.hpp"

namespace sotto::crypto {

sotto_status hmac_drbg::instantiate(byte_list seed) {
    for (size_t i = 0; i < digest_bytes; ++i) {
        key[i] = 0;
        value[i] = 1;
    }
    return update(seed);
}

// K = HMAC(K, V || separator || provided), V = HMAC(K, V)
sotto_status hmac_drbg::step(uint8_t separator, byte_list provided) {
    bytes parts[byte_list_max] = {{value, digest_bytes}, {&separator, 1}};
    if (provided.count > byte_list_max - 2) {
        return SOTTO_ERR_ARGUMENT;
    }
    for (size_t i = 0; i < provided.count; ++i) {
        parts[2 + i] = provided.parts[i];
    }
    sotto_status status = hmac_sha256({key, digest_bytes}, {parts, 2 + provided.count}, key);
    return status == SOTTO_OK ? hmac_sha256({key, digest_bytes}, {parts, 1}, value) : status;
}

sotto_status hmac_drbg::update(byte_list provided) {
    const sotto_status status = step(0, provided);
    return status == SOTTO_OK && provided.count > 0 ? step(1, provided) : status;
}

sotto_status hmac_drbg::generate(uint8_t *out, size_t length_bytes) {
    const bytes last = {value, digest_bytes};
    sotto_status status = SOTTO_OK;
    for (size_t at = 0; status == SOTTO_OK && at < length_bytes; at += digest_bytes) {
        status = hmac_sha256({key, digest_bytes}, {&last, 1}, value);
        for (size_t i = 0; i < digest_bytes && at + i < length_bytes; ++i) {
            out[at + i] = value[i];
        }
    }
    if (status == SOTTO_OK) {
        status = update({nullptr, 0}); // nobody can compute the given bytes back
    }
    if (status != SOTTO_OK) {
        wipe(out, length_bytes);
    }
    return status;
}

} // namespace sotto::crypto
