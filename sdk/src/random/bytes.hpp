// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_BYTES_HPP
#define SOTTO_RANDOM_BYTES_HPP

#include <stddef.h>
#include <stdint.h>

namespace sotto {

// Uniform random bytes that the caller drew; the core only reads them, each of them once.
struct random_bytes {
    const uint8_t *data;
    size_t size;

    const uint8_t *take(size_t count) {
        const uint8_t *first = data;
        data += count;
        size -= count;
        return first;
    }
};

} // namespace sotto
#endif
