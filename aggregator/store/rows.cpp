// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/rows.hpp"

#include "aggregator/base/little_endian.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <vector>

namespace sotto::aggregator {
namespace {

// What sorting moves about in place of a row.
struct key {
    std::uint64_t hash;
    std::uint32_t epoch, row;
};

// Part of a key. The lower bits of the hash are left to comparisons: few keys get that far.
struct digit {
    bool of_epoch;
    unsigned shift;

    std::size_t operator()(const key &k) const {
        return (of_epoch ? k.epoch : k.hash) >> shift & (count - 1);
    }
    static constexpr std::size_t count = 2048;
};
constexpr digit digits[] = {{false, 42}, {false, 53}, {true, 0}, {true, 11}, {true, 22}};

bool same_digits(const key &a, const key &b) {
    return a.epoch == b.epoch && a.hash >> 42 == b.hash >> 42;
}

// From the least digit to the highest, each keeping the order of the ones before.
void radix_sort(std::vector<key> &keys) {
    std::vector<key> other(keys.size());
    for (const digit &d : digits) {
        std::array<std::size_t, digit::count> at = {};
        for (const key &one : keys) {
            ++at[d(one)];
        }
        if (at[d(keys.front())] == keys.size()) {
            continue; // the same in all
        }
        std::exclusive_scan(at.begin(), at.end(), at.begin(), std::size_t{0});
        for (const key &one : keys) {
            other[at[d(one)]++] = one;
        }
        keys.swap(other);
    }
}

// Memory that is about to be filled: fewer, larger pages save much of the time that it takes.
void use_large_pages(void *bytes, std::size_t size) {
    constexpr std::size_t page = std::size_t{1} << 21;
    void *begin = bytes;
    std::size_t room = size;
    if (std::align(page, page, begin, room) != nullptr) {
        (void)madvise(begin, room, MADV_HUGEPAGE);
    }
}

} // namespace

void row_list::grow() {
    const std::size_t wanted = std::max(2 * capacity_bytes_, 1024 * width_);
    auto *moved = static_cast<std::uint8_t *>(std::realloc(bytes_.get(), wanted));
    if (moved == nullptr) {
        throw std::bad_alloc();
    }
    (void)bytes_.release(); // freed by realloc
    use_large_pages(moved, wanted);
    bytes_.reset(moved);
    capacity_bytes_ = wanted;
}

void row_list::add(const report_view &r) {
    std::uint8_t *row = make_room();
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
    if (empty()) {
        return;
    }
    std::vector<key> keys;
    keys.reserve(size());
    for (std::uint32_t i = 0; i < size(); ++i) {
        keys.push_back({hash_of((*this)[i]), epoch_of((*this)[i]), i});
    }
    radix_sort(keys);
    const auto less = [&](const key &a, const key &b) {
        return a.hash != b.hash ? a.hash < b.hash : before((*this)[a.row], (*this)[b.row]);
    };
    for (auto begin = keys.begin(); begin != keys.end();) {
        auto end = begin + 1;
        while (end != keys.end() && same_digits(*begin, *end)) {
            ++end;
        }
        if (end - begin > 1) {
            std::sort(begin, end, less);
        }
        begin = end;
    }
    memory sorted(static_cast<std::uint8_t *>(std::malloc(size_bytes_)));
    if (sorted == nullptr) {
        throw std::bad_alloc();
    }
    use_large_pages(sorted.get(), size_bytes_);
    constexpr std::size_t ahead = 16; // rows that are fetched before they are needed
    for (std::size_t i = 0; i < keys.size(); ++i) {
        __builtin_prefetch((*this)[keys[std::min(i + ahead, keys.size() - 1)].row].data());
        std::memcpy(sorted.get() + i * width_, (*this)[keys[i].row].data(), width_);
    }
    bytes_ = std::move(sorted);
    capacity_bytes_ = size_bytes_;
}

} // namespace sotto::aggregator
