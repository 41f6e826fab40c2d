// SPDX-License-Identifier: Apache-2.0
#include "mechanism/rappor.hpp"

#include "mechanism/bits.hpp"
#include "random/uniform.hpp"

namespace sotto {

void bloom_bits(const sotto_rappor &table, const uint8_t digest[string_digest_bytes],
                uint32_t *words) {
    static_assert(SOTTO_HASHES_MAX == string_digest_bytes / 4, "each takes four bytes");
    uint16_t positions[SOTTO_HASHES_MAX];
    for (uint32_t i = 0; i < table.hashes; ++i) {
        const uint8_t *d = digest + size_t{4} * i;
        const uint32_t hash = static_cast<uint32_t>(d[0]) << 24 |
                              static_cast<uint32_t>(d[1]) << 16 | static_cast<uint32_t>(d[2]) << 8 |
                              static_cast<uint32_t>(d[3]);
        positions[i] = static_cast<uint16_t>(scaled(hash, table.bits));
    }
    set_members(positions, table.hashes, table.bits, words);
}

uint32_t instantaneous_bits(const sotto_rappor &table, uint32_t level, uint32_t index,
                            uint32_t bits, const uint8_t *random) {
    return noised_bits(table.instantaneous[level], table.bits, index, bits, random);
}

} // namespace sotto
