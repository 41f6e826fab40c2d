// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_ROW_HPP
#define SOTTO_AGGREGATOR_STORE_ROW_HPP

#include "aggregator/base/big_endian.hpp"
#include "aggregator/report/parse.hpp"

#include <cstdint>
#include <cstring>
#include <span>

namespace sotto::aggregator {

// A stored report, in bytes: epoch 4, hash of the release id 8, level 1, flags 1, cohort 2. Then
// the value, as wide as its metric's values are (metric::value_bytes). Big-endian, in this order:
// comparing bytes sorts by epoch and partition, and puts all levels and duplicates of a release
// together. The row that wins a conflict comes first. An index, a number and each of several
// numbers takes 4 bytes; bits stand as they crossed the wire.
using row_view = std::span<const std::uint8_t>;

// The hash of a release id, as its integer: one to one, so that nothing is lost. Its leading bits
// say the partition, and share the work out evenly whatever ids devices draw.
inline std::uint64_t release_hash(std::uint64_t id) {
    id = (id ^ id >> 32) * 0x9e3779b97f4a7c15;
    id = (id ^ id >> 29) * 0xd1342543de82ef95;
    return id ^ id >> 32;
}

inline constexpr std::size_t release_key_bytes = 12; // epoch and release: what was measured once
inline constexpr std::size_t level_key_bytes = 13;   // and level: what was published once
// Bytes before the value.
inline constexpr std::size_t row_head_bytes = 16;

// The width of a metric's rows.
inline std::size_t row_bytes(const metric &m) { return row_head_bytes + m.value_bytes(); }

// Writes a report that its metric admits (see report_rules) to `row`, as wide as the metric's are.
// Numbers that it lacks are 0, and `cohort` is how many.
void put_row(const report_view &r, std::span<std::uint8_t> row);

// The fields of a row.
inline std::uint32_t epoch_of(row_view r) { return get_big_endian<std::uint32_t>(&r[0]); }
inline std::uint64_t hash_of(row_view r) { return get_big_endian<std::uint64_t>(&r[4]); }
inline std::uint8_t level_of(row_view r) { return r[12]; }
inline std::uint32_t flags_of(row_view r) { return r[13]; }
inline std::uint32_t cohort_of(row_view r) { return get_big_endian<std::uint16_t>(&r[14]); }
inline row_view value_of(row_view r) { return r.subspan(row_head_bytes); }

// By the metric's value_kind: the value of an index; the i-th number, 0 where there is one; bit i.
inline std::uint32_t index_of(row_view r) { return get_big_endian<std::uint32_t>(&r[16]); }
inline std::int32_t number_of(row_view r, std::size_t i = 0) {
    return static_cast<std::int32_t>(get_big_endian<std::uint32_t>(&r[row_head_bytes + 4 * i]));
}
inline bool bit_of(row_view r, std::size_t i) {
    return (r[row_head_bytes + i / 8] >> (i % 8) & 1) != 0;
}

// Compare rows of one metric.
inline bool same_release(row_view a, row_view b) {
    return std::memcmp(a.data(), b.data(), release_key_bytes) == 0;
}
inline bool same_level(row_view a, row_view b) {
    return std::memcmp(a.data(), b.data(), level_key_bytes) == 0;
}

// As memcmp; rows of one width. Most differ in their head.
inline bool before(row_view a, row_view b) {
    const auto a0 = get_big_endian<std::uint64_t>(&a[0]), b0 = get_big_endian<std::uint64_t>(&b[0]);
    if (a0 != b0) {
        return a0 < b0;
    }
    const auto a1 = get_big_endian<std::uint64_t>(&a[8]), b1 = get_big_endian<std::uint64_t>(&b[8]);
    return a1 != b1 ? a1 < b1 : std::memcmp(a.data(), b.data(), a.size()) < 0;
}
inline bool same(row_view a, row_view b) { return std::memcmp(a.data(), b.data(), a.size()) == 0; }

} // namespace sotto::aggregator
#endif
