// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/rows.hpp"

#include "aggregator/base/little_endian.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

// What sorting moves about in place of a row.
struct key {
    std::uint64_t high, low;
    const std::uint8_t *row;
};

} // namespace

void row_list::add(const report_view &r) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + width_);
    std::uint8_t *row = &bytes_[at];
    put_big_endian(row, r.epoch);
    put_big_endian(row + 4, release_hash(r.release));
    row[12] = static_cast<std::uint8_t>(r.level);
    put_big_endian(row + 13, r.flags);
    put_big_endian(row + 17, r.cohort);
    std::uint8_t *value = row + row_head_bytes;
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
        break;
    }
}

void row_list::sort() {
    std::vector<key> keys;
    keys.reserve(size());
    for (const std::uint8_t *row = bytes_.data(); keys.size() < size(); row += width_) {
        keys.push_back(
            {get_big_endian<std::uint64_t>(row), get_big_endian<std::uint64_t>(row + 8), row});
    }
    std::sort(keys.begin(), keys.end(), [&](const key &a, const key &b) {
        if (a.high != b.high) {
            return a.high < b.high;
        }
        return a.low != b.low ? a.low < b.low : std::memcmp(a.row, b.row, width_) < 0;
    });
    std::vector<std::uint8_t> sorted;
    sorted.reserve(bytes_.size());
    for (const key &one : keys) {
        sorted.insert(sorted.end(), one.row, one.row + width_);
    }
    bytes_.swap(sorted);
}

} // namespace sotto::aggregator
