// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_RAPPOR_HPP
#define SOTTO_MECHANISM_RAPPOR_HPP

#include "mechanism/code.hpp"
#include "random/bernoulli_lanes.hpp"
#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto {

// RAPPOR (Erlingsson, Pihur, Korolova 2014): a string's Bloom bits, or a category's one bit, get
// permanent and instantaneous noise. Permanent noise is the same whenever it is asked again.
// Instantaneous noise is fresh in every release. Only the permanent bits of the highest level are
// kept; those of lower levels come from them, and reports from permanent bits.

// Sets the Bloom bits of a string in words[0 .. bit_words(bits)) from a 32-byte digest of it:
// hash i is floor(d_i * bits / 2^32), d_i the big-endian bytes 4i to 4i + 3. Fixed time.
void bloom_bits(const sotto_rappor &table, const uint8_t digest[string_digest_bytes],
                uint32_t *words);

// Is the report at `level` drawn from the report at level + 1? Otherwise from permanent bits.
inline bool is_chained(const sotto_rappor &table, uint32_t level) {
    return (table.chained >> level & 1) != 0;
}

// Word `index` of the report at `level`. `bits`: that word of the level's permanent bits or, where
// the level is chained, of the report above it. Takes
// bernoulli_lanes_bytes(table.instantaneous[level]).
uint32_t instantaneous_bits(const sotto_rappor &table, uint32_t level, uint32_t index,
                            uint32_t bits, const uint8_t *random);

} // namespace sotto
#endif
