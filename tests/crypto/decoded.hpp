// SPDX-License-Identifier: Apache-2.0
#ifndef DECODED_HPP
#define DECODED_HPP

#include "crypto/hash.hpp"

// The bytes that a vector spells in hex.
template <size_t capacity> struct decoded {
    uint8_t data[capacity] = {};
    size_t size = 0;

    explicit decoded(const char *hex) {
        for (; hex[0] != '\0' && size < capacity; hex += 2) {
            data[size++] = static_cast<uint8_t>(digit(hex[0]) << 4 | digit(hex[1]));
        }
    }
    operator sotto::crypto::bytes() const { return {data, size}; }
    bool is(const uint8_t *other) const {
        bool same = true;
        for (size_t i = 0; i < size; ++i) {
            same &= data[i] == other[i];
        }
        return same && size > 0;
    }

  private:
    static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }
};
using short_bytes = decoded<128>;
using long_bytes = decoded<512>;

#endif
