// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_ROW_HPP
#define SOTTO_AGGREGATOR_STORE_ROW_HPP

#include "aggregator/base/big_endian.hpp"
#include "aggregator/report/decode.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace sotto::aggregator {

// A stored report of a boolean metric: epoch 4, release 8, level 1, flags 4, cohort 4, value 1.
// Big-endian, in this order, so that comparing bytes sorts by release, then by level, and puts the
// row that wins a conflict first.
inline constexpr std::size_t row_bytes = 22;
inline constexpr std::size_t release_key_bytes = 12; // epoch and release: what was measured once
inline constexpr std::size_t level_key_bytes = 13;   // and level: what was published once
using row = std::array<std::uint8_t, row_bytes>;

inline row make_row(const report &r, bool value) {
    row out = {};
    put_big_endian(&out[0], r.epoch);
    std::memcpy(&out[4], r.release.data(), r.release.size());
    out[12] = static_cast<std::uint8_t>(r.level);
    put_big_endian(&out[17], r.cohort);
    out[21] = value ? 1 : 0;
    return out;
}

inline std::uint32_t epoch_of(const row &r) { return get_big_endian<std::uint32_t>(&r[0]); }
inline std::uint8_t level_of(const row &r) { return r[12]; }
inline std::uint8_t value_of(const row &r) { return r[21]; }

inline bool same_release(const row &a, const row &b) {
    return std::memcmp(a.data(), b.data(), release_key_bytes) == 0;
}
inline bool same_level(const row &a, const row &b) {
    return std::memcmp(a.data(), b.data(), level_key_bytes) == 0;
}

} // namespace sotto::aggregator
#endif
