// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/row.hpp"

#include "aggregator/base/little_endian.hpp"

#include <algorithm>

namespace sotto::aggregator {

void put_row(const report_view &r, std::span<std::uint8_t> row) {
    std::uint8_t *const bytes = row.data();
    put_big_endian(bytes, r.epoch);
    put_big_endian(bytes + 4, release_hash(r.release));
    bytes[12] = static_cast<std::uint8_t>(r.level);
    bytes[13] = static_cast<std::uint8_t>(r.flags);
    put_big_endian(bytes + 14, static_cast<std::uint16_t>(r.cohort));
    std::uint8_t *value = bytes + row_head_bytes;
    switch (r.kind) {
    case value_kind::index:
    case value_kind::number:
        put_big_endian(value, r.scalar);
        break;
    case value_kind::bits:
        std::copy(r.bytes.begin(), r.bytes.end(), value);
        break;
    case value_kind::numbers:
        for (std::size_t i = 0; i < r.bytes.size(); i += 4) {
            put_big_endian(value + i, get_little_endian(&r.bytes[i]));
        }
        const std::size_t missing = row.size() - row_head_bytes - r.bytes.size();
        std::fill_n(value + r.bytes.size(), missing, std::uint8_t{0});
        put_big_endian(bytes + 14, static_cast<std::uint16_t>(missing / 4));
        break;
    }
}

} // namespace sotto::aggregator
