// SPDX-License-Identifier: Apache-2.0
#include "crypto/aead.hpp"

#include "crypto/library_error.hpp"
#include "crypto/wipe.hpp"

#include <mbedtls/chachapoly.h>

namespace sotto::crypto {

sotto_status chacha20_poly1305_seal(const uint8_t key[aead_key_bytes],
                                    const uint8_t nonce[aead_nonce_bytes], bytes associated,
                                    uint8_t *text, size_t length_bytes) {
    mbedtls_chachapoly_context context;
    mbedtls_chachapoly_init(&context);
    int failed = mbedtls_chachapoly_setkey(&context, key);
    if (failed == 0) {
        failed = mbedtls_chachapoly_encrypt_and_tag(
            &context, length_bytes, nonce, static_cast<const unsigned char *>(associated.data),
            associated.size, text, text, text + length_bytes);
    }
    mbedtls_chachapoly_free(&context);
    keep_library_error(failed);
    if (failed != 0) {
        wipe(text, length_bytes + aead_tag_bytes);
        return SOTTO_ERR_CRYPTO;
    }
    return SOTTO_OK;
}

} // namespace sotto::crypto
