// SPDX-License-Identifier: Apache-2.0
// PSA's own generator takes no seed, so it would not fail with the port's source. This one is fed
// by the port and by nothing else.
#include "crypto/drbg.hpp"

#include "crypto/hmac_drbg_sha256.hpp"
#include "crypto/psa_result.hpp"
#include "crypto/wipe.hpp"

namespace sotto::crypto {
namespace {

constexpr size_t entropy_bytes = 64; // twice the security strength, as with CTR_DRBG
constexpr uint32_t reseed_interval = 1000;
constexpr size_t request_bytes_max = 1024;

struct generator {
    hmac_drbg drbg;
    entropy_function entropy;
    void *context;
    uint32_t requests; // since the last seed; 0: not seeded
};
static_assert(sizeof(generator) <= drbg_state_bytes);
static_assert(alignof(generator) <= 8);

generator &generator_of(void *state) { return *static_cast<generator *>(state); }

// Half a step leaves a key that anybody knows: then there is no generator until it is seeded anew.
sotto_status or_none(generator &g, sotto_status status) {
    if (status != SOTTO_OK) {
        drbg_wipe(&g);
    }
    return status;
}

sotto_status feed(generator &g, bytes additional, bool first) {
    uint8_t fresh[entropy_bytes];
    sotto_status status = SOTTO_ERR_CRYPTO;
    if (g.entropy(g.context, fresh, sizeof fresh) == 0) {
        const bytes parts[] = {{fresh, sizeof fresh}, additional};
        g.requests = 1;
        status = or_none(g, first ? g.drbg.instantiate({parts, 2}) : g.drbg.reseed({parts, 2}));
    }
    wipe(fresh, sizeof fresh);
    return status;
}

} // namespace

sotto_status drbg_seed(void *state, entropy_function entropy, void *context) {
    static const char label[] = "sotto device v1";
    wipe(state, drbg_state_bytes);
    generator &g = generator_of(state);
    g.entropy = entropy;
    g.context = context;
    const sotto_status status = psa_result(psa_crypto_init(), SOTTO_ERR_CRYPTO);
    return or_none(g, status == SOTTO_OK ? feed(g, {label, sizeof label - 1}, true) : status);
}

sotto_status drbg_reseed(void *state, const uint8_t *additional, size_t length_bytes) {
    return generator_of(state).requests == 0
               ? sotto_status{SOTTO_ERR_CRYPTO}
               : feed(generator_of(state), {additional, length_bytes}, false);
}

sotto_status drbg_generate(void *state, uint8_t *bytes, size_t length_bytes) {
    generator &g = generator_of(state);
    sotto_status status = SOTTO_OK;
    if (g.requests == 0 || length_bytes > request_bytes_max) {
        status = SOTTO_ERR_CRYPTO;
    } else if (g.requests > reseed_interval) {
        status = drbg_reseed(state, nullptr, 0);
    }
    if (status == SOTTO_OK) {
        ++g.requests;
        return or_none(g, g.drbg.generate(bytes, length_bytes));
    }
    wipe(bytes, length_bytes);
    return status;
}

void drbg_wipe(void *state) { wipe(state, drbg_state_bytes); }

} // namespace sotto::crypto
