// SPDX-License-Identifier: Apache-2.0
#include "crypto/stream.hpp"

#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

namespace sotto::crypto {
namespace {

constexpr size_t nonce_bytes = 12;

struct nonce {
    uint8_t bytes[nonce_bytes];
};

// As WIRE.md spells them.
nonce nonce_of(purpose what_for, uint32_t number) {
    static const char ends[][3] = {"ld", "ir", "pr", "vk", "sk", "co",
                                   "rd", "pf", "rs", "bs", "id"};
    const char *end = ends[static_cast<unsigned>(what_for)];
    nonce n = {{'s', 'o', 't', 't', 'o', '-'}};
    n.bytes[6] = static_cast<uint8_t>(end[0]);
    n.bytes[7] = static_cast<uint8_t>(end[1]);
    for (size_t i = 0; i < 4; ++i) {
        n.bytes[8 + i] = static_cast<uint8_t>(number >> (24 - 8 * i));
    }
    return n;
}

} // namespace

stream::stream(const uint8_t key[key_bytes], purpose what_for, uint32_t number)
    : stream(key, nonce_of(what_for, number).bytes, 0) {}

stream::stream(const uint8_t key[key_bytes], const uint8_t nonce[nonce_bytes], uint32_t counter) {
    start(key, nonce, counter);
}

stream::stream(const uint8_t key[key_bytes], purpose what_for, uint32_t number,
               const uint8_t digest[digest_bytes]) {
    uint8_t inner[key_bytes];
    const sotto_status status = prf(key, what_for, number, digest, inner);
    const uint8_t *rest = digest + prf_input_bytes;
    start(inner, rest, load32(rest + nonce_bytes));
    ready_ = ready_ && status == SOTTO_OK;
    wipe(inner, sizeof inner);
}

sotto_status prf(const uint8_t key[key_bytes], purpose what_for, uint32_t number,
                 const uint8_t input[prf_input_bytes], uint8_t out[key_bytes]) {
    uint8_t inner[key_bytes];
    sotto_status status = stream(key, what_for, number).read(inner, sizeof inner);
    if (status == SOTTO_OK) {
        status = stream(inner, input, load32(input + nonce_bytes)).read(out, key_bytes);
    } else {
        wipe(out, key_bytes);
    }
    wipe(inner, sizeof inner);
    return status;
}

} // namespace sotto::crypto
