// SPDX-License-Identifier: Apache-2.0
// HMAC_DRBG, which drbg_psa.cpp is a shell of: NIST CAVP HMAC_DRBG.rsp, SHA-256, no reseed, COUNT 0
// without personalization; and one with reseed, computed with Python's hmac.
#include "crypto/drbg.hpp"
#include "crypto/hmac_drbg_sha256.hpp"
#include "decoded.hpp"

#include <psa/crypto.h>

// psa_hash_setup as the linker's --wrap calls it: fails once when the countdown has run out.
static int hashes_left = -1; // below 0: never
extern "C" {
psa_status_t __real_psa_hash_setup(psa_hash_operation_t *operation, psa_algorithm_t algorithm);
psa_status_t __wrap_psa_hash_setup(psa_hash_operation_t *operation, psa_algorithm_t algorithm);
}

psa_status_t __wrap_psa_hash_setup(psa_hash_operation_t *operation, psa_algorithm_t algorithm) {
    if (hashes_left >= 0 && hashes_left-- == 0) {
        return PSA_ERROR_HARDWARE_FAILURE;
    }
    return __real_psa_hash_setup(operation, algorithm);
}

using sotto::crypto::bytes;
using sotto::crypto::hmac_drbg;

namespace {

int take(void *, unsigned char *target, size_t length) {
    for (size_t i = 0; i < length; ++i) {
        target[i] = static_cast<unsigned char>(i);
    }
    return 0;
}
int fail(void *, unsigned char *, size_t) { return -1; }

bool the_shell_is_right() {
    alignas(8) static uint8_t state[sotto::crypto::drbg_state_bytes];
    uint8_t out[32], again[32];
    bool right = sotto::crypto::drbg_seed(state, fail, nullptr) == SOTTO_ERR_CRYPTO &&
                 sotto::crypto::drbg_generate(state, out, sizeof out) == SOTTO_ERR_CRYPTO &&
                 sotto::crypto::drbg_seed(state, take, nullptr) == SOTTO_OK &&
                 sotto::crypto::drbg_generate(state, out, sizeof out) == SOTTO_OK &&
                 sotto::crypto::drbg_reseed(state, out, 0) == SOTTO_OK &&
                 sotto::crypto::drbg_generate(state, again, sizeof again) == SOTTO_OK;
    size_t same = 0;
    for (size_t i = 0; i < sizeof out; ++i) {
        same += out[i] == again[i] ? 1 : 0;
    }
    return right && same < 8;
}

// Half a step leaves a key that anybody knows: nothing may be drawn with it.
bool a_failure_is_for_good() {
    alignas(8) static uint8_t state[sotto::crypto::drbg_state_bytes];
    uint8_t out[32];
    const auto draw = [&] { return sotto::crypto::drbg_generate(state, out, sizeof out); };
    const auto feed = [] { return sotto::crypto::drbg_reseed(state, nullptr, 0); };
    bool right = true;
    for (int what = 0; what < 2; ++what) {
        const int hashes = what == 0 ? 6 : 8; // two for each HMAC
        for (int fails = 0; fails <= hashes; ++fails) {
            right &= sotto::crypto::drbg_seed(state, take, nullptr) == SOTTO_OK;
            hashes_left = fails;
            const sotto_status expected = fails < hashes ? SOTTO_ERR_CRYPTO : SOTTO_OK;
            right &= (what == 0 ? draw() : feed()) == expected &&
                     hashes_left == (fails < hashes ? -1 : 0);
            hashes_left = -1;
            right &= draw() == expected && feed() == expected && draw() == expected;
        }
    }
    return right;
}

} // namespace

bool generator_is_right() {
    const short_bytes entropy("ca851911349384bffe89de1cbdc46e6831e44d34a4fb935ee285dd14b71a7488");
    const short_bytes nonce("659ba96c601dc69fc902940805ec0ca8");
    const short_bytes expected("e528e9abf2dece54d47c7e75e5fe302149f817ea9fb4bee6f4199697d04d5b89"
                               "d54fbb978a15b5c443c9ec21036d2460b6f73ebad0dc2aba6e624abf07745bc1"
                               "07694bb7547bb0995f70de25d6b29e2d3011bb19d27676c07162c8b5ccde0668"
                               "961df86803482cb37ed6d5c0bb8d50cf1f50d476aa0458bdaba806f48be9dcb8");
    const bytes seed[] = {entropy, nonce};
    hmac_drbg drbg;
    uint8_t out[128];
    bool right = drbg.instantiate({seed, 2}) == SOTTO_OK &&
                 drbg.generate(out, sizeof out) == SOTTO_OK && !expected.is(out) &&
                 drbg.generate(out, sizeof out) == SOTTO_OK && expected.is(out);

    const short_bytes again("af21f9fbcbf8aff57de39a7bd47a1d6863e43020ed1de85daf251ec21ab2d908"
                            "b38fd918ad3cf3310096cbf2a303ee50");
    uint8_t first[32], second[16], fresh[32];
    for (size_t i = 0; i < 32; ++i) {
        first[i] = static_cast<uint8_t>(i);
        second[i % 16] = static_cast<uint8_t>(100 + i % 16);
        fresh[i] = static_cast<uint8_t>(50 + i);
    }
    const bytes parts[] = {{first, 32}, {second, 16}}, more = {fresh, 32};
    right &= drbg.instantiate({parts, 2}) == SOTTO_OK && drbg.reseed({&more, 1}) == SOTTO_OK &&
             drbg.generate(out, 48) == SOTTO_OK && !again.is(out) &&
             drbg.generate(out, 48) == SOTTO_OK && again.is(out);
    return right && the_shell_is_right() && a_failure_is_for_good();
}
