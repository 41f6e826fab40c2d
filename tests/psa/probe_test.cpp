// SPDX-License-Identifier: Apache-2.0
// A platform whose PSA Crypto lacks something is told so by sotto_init, by name, and not by the
// first flush.
#include "fake_port.hpp"
#include "metrics.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <psa/crypto.h>
#include <vector>

namespace {

enum class part { none, hash, agreement, aead, public_key, key_pair };
part missing = part::none;
psa_status_t answer = PSA_SUCCESS;

// Bytes that PSA takes from the heap, with those that malloc adds.
size_t taken_bytes = 0, taken_bytes_most = 0;

} // namespace

extern "C" {
psa_status_t __real_psa_hash_setup(psa_hash_operation_t *, psa_algorithm_t);
psa_status_t __wrap_psa_hash_setup(psa_hash_operation_t *operation, psa_algorithm_t algorithm) {
    return missing == part::hash ? answer : __real_psa_hash_setup(operation, algorithm);
}
psa_status_t __real_psa_raw_key_agreement(psa_algorithm_t, psa_key_id_t, const uint8_t *, size_t,
                                          uint8_t *, size_t, size_t *);
psa_status_t __wrap_psa_raw_key_agreement(psa_algorithm_t algorithm, psa_key_id_t key,
                                          const uint8_t *peer, size_t peer_bytes, uint8_t *out,
                                          size_t out_bytes, size_t *length) {
    return missing == part::agreement
               ? answer
               : __real_psa_raw_key_agreement(algorithm, key, peer, peer_bytes, out, out_bytes,
                                              length);
}
psa_status_t __real_psa_aead_encrypt(psa_key_id_t, psa_algorithm_t, const uint8_t *, size_t,
                                     const uint8_t *, size_t, const uint8_t *, size_t, uint8_t *,
                                     size_t, size_t *);
psa_status_t __wrap_psa_aead_encrypt(psa_key_id_t key, psa_algorithm_t algorithm,
                                     const uint8_t *nonce, size_t nonce_bytes, const uint8_t *more,
                                     size_t more_bytes, const uint8_t *text, size_t text_bytes,
                                     uint8_t *out, size_t out_bytes, size_t *length) {
    return missing == part::aead
               ? answer
               : __real_psa_aead_encrypt(key, algorithm, nonce, nonce_bytes, more, more_bytes, text,
                                         text_bytes, out, out_bytes, length);
}
psa_status_t __real_psa_import_key(const psa_key_attributes_t *, const uint8_t *, size_t,
                                   psa_key_id_t *);
psa_status_t __wrap_psa_import_key(const psa_key_attributes_t *attributes, const uint8_t *data,
                                   size_t data_bytes, psa_key_id_t *key) {
    const psa_key_type_t type = psa_get_key_type(attributes);
    const bool lacks = (missing == part::public_key && PSA_KEY_TYPE_IS_ECC_PUBLIC_KEY(type)) ||
                       (missing == part::key_pair && PSA_KEY_TYPE_IS_ECC_KEY_PAIR(type));
    return lacks ? answer : __real_psa_import_key(attributes, data, data_bytes, key);
}
void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t count, size_t bytes) {
    void *memory = __real_calloc(count, bytes);
    taken_bytes += malloc_usable_size(memory);
    taken_bytes_most = std::max(taken_bytes_most, taken_bytes);
    return memory;
}
void __real_free(void *);
void __wrap_free(void *memory) {
    taken_bytes -= std::min(taken_bytes, malloc_usable_size(memory));
    __real_free(memory);
}
}

namespace {

struct device {
    fake_port platform;
    small_client client = {};

    sotto_status begin(part lacking, psa_status_t how) {
        missing = lacking;
        answer = how;
        const sotto_port port = platform.port();
        const sotto_status status = small_init(&client, &port);
        missing = part::none;
        return status;
    }
    ~device() { (void)sotto_deinit(&client.client); }
};

sotto_status begin(part lacking, psa_status_t how) { return device().begin(lacking, how); }

TEST(PsaProbe, NamesWhatIsMissing) {
    const psa_status_t none = PSA_ERROR_NOT_SUPPORTED;
    EXPECT_EQ(begin(part::none, none), SOTTO_OK);
    EXPECT_EQ(begin(part::hash, none), SOTTO_ERR_NO_SHA256);
    EXPECT_EQ(begin(part::agreement, none), SOTTO_ERR_NO_X25519);
    EXPECT_EQ(begin(part::key_pair, none), SOTTO_ERR_NO_X25519);
    EXPECT_EQ(begin(part::aead, none), SOTTO_ERR_NO_CHACHA20_POLY1305);
    EXPECT_EQ(begin(part::public_key, none), SOTTO_ERR_NO_P256);
}

TEST(PsaProbe, NamesWantOfMemory) {
    for (const part probe :
         {part::hash, part::agreement, part::aead, part::key_pair, part::public_key}) {
        EXPECT_EQ(begin(probe, PSA_ERROR_INSUFFICIENT_MEMORY), SOTTO_ERR_NO_HEAP);
        EXPECT_EQ(sotto_get_crypto_error(), PSA_ERROR_INSUFFICIENT_MEMORY);
        EXPECT_EQ(begin(probe, PSA_ERROR_HARDWARE_FAILURE), SOTTO_ERR_CRYPTO);
        EXPECT_EQ(sotto_get_crypto_error(), PSA_ERROR_HARDWARE_FAILURE);
    }
}

TEST(PsaProbe, NothingIsStoredByADeviceThatCanNotSeal) {
    device probed;
    EXPECT_EQ(probed.begin(part::aead, PSA_ERROR_NOT_SUPPORTED), SOTTO_ERR_NO_CHACHA20_POLY1305);
    EXPECT_EQ(probed.platform.stores, 0);
    EXPECT_EQ(sotto_advance(&probed.client.client, 0), SOTTO_ERR_NOT_INITIALISED);
    EXPECT_EQ(probed.begin(part::none, PSA_SUCCESS), SOTTO_OK);
}

// docs/TROUBLESHOOTING.md and ports/zephyr/Kconfig say 4,096.
TEST(PsaProbe, HeapThatAFlushTakes) {
    device probed;
    taken_bytes = taken_bytes_most = 0;
    ASSERT_EQ(probed.begin(part::none, PSA_SUCCESS), SOTTO_OK);
    EXPECT_GT(taken_bytes_most, 500U) << "the count sees PSA's calls";
    EXPECT_LE(taken_bytes_most, 4096U);
}

} // namespace
