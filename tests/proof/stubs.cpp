// SPDX-License-Identifier: Apache-2.0
// Stands for cryptography: reads and writes the sizes that it promises, and answers anything.
#include "crypto/hash.hpp"
#include "crypto/wipe.hpp"
#include "proof.h"

namespace sotto::crypto {
namespace {

sotto_status any_status() { return static_cast<sotto_status>(proof_any()); }

} // namespace

void wipe(void *bytes, size_t length_bytes) {
    auto *at = static_cast<uint8_t *>(bytes);
    for (size_t i = 0; i < length_bytes; ++i) {
        at[i] = 0;
    }
}

sotto_status sha256(const bytes *parts, size_t count, uint8_t digest[digest_bytes]) {
    for (size_t i = 0; i < count; ++i) {
        proof_read(static_cast<const uint8_t *>(parts[i].data), parts[i].size);
    }
    proof_write(digest, digest_bytes);
    return any_status();
}

sotto_status sha256(next_part next, void *context, uint8_t digest[digest_bytes]) {
    bytes part = {};
    while (next(context, &part)) {
        proof_read(static_cast<const uint8_t *>(part.data), part.size);
    }
    proof_write(digest, digest_bytes);
    return any_status();
}

} // namespace sotto::crypto
