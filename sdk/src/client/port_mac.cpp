// SPDX-License-Identifier: Apache-2.0
#include "crypto/hkdf_sha256.hpp"
#include "crypto/wipe.hpp"
#include "sotto/port.h"

using namespace sotto::crypto;

extern "C" sotto_status sotto_hmac_sha256(const uint8_t *key, const uint8_t *digest, uint8_t *tag) {
    constexpr size_t key_bytes = 32, tag_bytes = 16;
    uint8_t whole[digest_bytes];
    const bytes text = {digest, digest_bytes};
    const sotto_status status = hmac_sha256({key, key_bytes}, {&text, 1}, whole);
    for (size_t i = 0; i < tag_bytes; ++i) {
        tag[i] = whole[i];
    }
    wipe(whole, sizeof whole);
    return status;
}
