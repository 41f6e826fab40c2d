// SPDX-License-Identifier: Apache-2.0
#include "asked.hpp"

#include "aggregator/request/request.hpp"
#include "crypto/p256.hpp"
#include "metrics.h"

#include <map>
#include <vector>

// p256_verify as the linker's --wrap calls it: each signature is verified once and remembered, or a
// campaign would do little else.
extern "C" {
bool __real__ZN5sotto6crypto11p256_verifyEPKhS2_S2_(const uint8_t *key, const uint8_t *digest,
                                                    const uint8_t *signature);
bool __wrap__ZN5sotto6crypto11p256_verifyEPKhS2_S2_(const uint8_t *key, const uint8_t *digest,
                                                    const uint8_t *signature);
}

bool __wrap__ZN5sotto6crypto11p256_verifyEPKhS2_S2_(const uint8_t *key, const uint8_t *digest,
                                                    const uint8_t *signature) {
    static std::map<std::string, bool> known;
    const std::string what =
        std::string(key, key + sotto::crypto::p256_key_bytes) +
        std::string(digest, digest + sotto::crypto::digest_bytes) +
        std::string(signature, signature + sotto::crypto::p256_signature_bytes);
    const auto [at, is_new] = known.try_emplace(what);
    if (is_new) {
        at->second = __real__ZN5sotto6crypto11p256_verifyEPKhS2_S2_(key, digest, signature);
    }
    return at->second;
}

const std::string &signed_request(uint32_t serial) {
    static const std::vector<std::string> requests = [] {
        const auto key = sotto::aggregator::read_request_key(SOTTO_REQUEST_KEYS "operator.key");
        std::vector<std::string> made;
        for (uint32_t s = 1; s <= serials; ++s) {
            sotto::aggregator::request r;
            r.registry = budgets_registry.fingerprint;
            r.serial = s;
            r.last_epoch = 1000;
            switch (s % 4) {
            case 0:
                r.metric = BUDGETS_DOOR;
                r.level = 1 + s / 4 % 2;
                break;
            case 1:
                r.metric = BUDGETS_ROOM;
                r.level = 1;
                r.select = {s % 5};
                break;
            case 2:
                r.metric = BUDGETS_DOOR;
                r.level = 2;
                r.select = {1};
                break;
            default:
                r.metric = s % 8 == 3 ? BUDGETS_APP : BUDGETS_POWER;
                r.level = 1;
            }
            made.push_back(sign_request(r, key));
        }
        return made;
    }();
    return requests[serial - 1];
}
