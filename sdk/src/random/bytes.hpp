// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_RANDOM_BYTES_HPP
#define SOTTO_RANDOM_BYTES_HPP

#include <stddef.h>
#include <stdint.h>

namespace sotto {

// Uniform random bytes that the caller drew; the core only reads them.
struct random_bytes {
    const uint8_t *data;
    size_t size;
};

} // namespace sotto
#endif
