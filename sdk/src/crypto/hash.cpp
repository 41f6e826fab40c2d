// SPDX-License-Identifier: Apache-2.0
#include "crypto/hash.hpp"

namespace sotto::crypto {

sotto_status sha256(const bytes *parts, size_t count, uint8_t digest[digest_bytes]) {
    struct list {
        const bytes *first, *end;
    } rest = {parts, parts + count};
    const next_part next = [](void *context, bytes *part) {
        auto &left = *static_cast<list *>(context);
        if (left.first == left.end) {
            return false;
        }
        *part = *left.first++;
        return true;
    };
    return sha256(next, &rest, digest);
}

} // namespace sotto::crypto
