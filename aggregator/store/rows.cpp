// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/rows.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

struct value_writer {
    std::uint8_t *to;

    void operator()(std::uint32_t index) const { put_big_endian(to, index); }
    void operator()(std::int32_t number) const {
        put_big_endian(to, static_cast<std::uint32_t>(number));
    }
    void operator()(const bit_string &bits) const { std::copy(bits.begin(), bits.end(), to); }
    void operator()(const number_list &numbers) const {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            put_big_endian(to + 4 * i, static_cast<std::uint32_t>(numbers[i]));
        }
    }
};

// What sorting moves about in place of a row.
struct key {
    std::uint64_t high, low;
    const std::uint8_t *row;
};

} // namespace

void row_list::add(const report &r) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + width_);
    std::uint8_t *row = &bytes_[at];
    put_big_endian(row, r.epoch);
    put_big_endian(row + 4, release_hash(get_big_endian<std::uint64_t>(r.release.data())));
    row[12] = static_cast<std::uint8_t>(r.level);
    put_big_endian(row + 13, r.flags);
    put_big_endian(row + 17, r.cohort.value_or(0));
    std::visit(value_writer{row + row_head_bytes}, r.value);
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
