// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/bit_sums.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace sotto::aggregator {
namespace {

// Bits that are added at once. Always passed by reference: how a vector is passed by value depends
// on the instruction set.
template <std::size_t Bytes> using chunk [[gnu::vector_size(Bytes)]] = std::uint64_t;

struct no_mask {
    template <typename Chunk> void apply(Chunk &) const {}
};
struct byte_mask {
    std::uint64_t wanted;
    template <typename Chunk> void apply(Chunk &bits) const { bits &= wanted; }
};

// Three bits of one weight: their sum's low bit to `sum`, the other to `carry`.
template <typename Chunk>
[[gnu::always_inline]] inline void add_up(Chunk &sum, const Chunk &a, const Chunk &b,
                                          Chunk &carry) {
    const Chunk either = sum ^ a;
    carry = (sum & a) | (either & b);
    sum = either ^ b;
}

// Adds what `read` has from `first` on, 2^Level of them, to the low bits; the rest is the carry.
template <unsigned Level, typename Chunk, typename Read>
[[gnu::always_inline]] inline void reduce(Chunk *low, std::size_t first, const Read &read,
                                          Chunk &carry) {
    if constexpr (Level == 0) {
        read(first, carry);
    } else {
        Chunk a, b;
        reduce<Level - 1>(low, first, read, a);
        reduce<Level - 1>(low, first + (std::size_t{1} << (Level - 1)), read, b);
        add_up(low[Level - 1], a, b, carry);
    }
}

} // namespace

bit_sums::bit_sums(std::size_t bits, vector_kernel kernel)
    : bits_(bits), row_bytes_((bits + 7) / 8), kernel_(kernel),
      high_(8 * (front_bytes + row_bytes_)), nothing_(front_bytes + row_bytes_) {
    for (std::vector<std::uint8_t> &sums : low_) {
        sums.resize(front_bytes + row_bytes_);
    }
}

// As many bytes of every row as a chunk has, from `at` on, counted with the front's.
template <typename Chunk, typename Mask>
inline void bit_sums::add_column(block rows, std::size_t at, const Mask &mask) {
    Chunk low[levels];
    for (std::size_t k = 0; k < levels; ++k) {
        std::memcpy(&low[k], &low_[k][at], sizeof(Chunk));
    }
    constexpr unsigned half = levels / 2;
    constexpr std::size_t some = std::size_t{1} << half;
    Chunk carries[some], carry;
    for (std::size_t i = 0; i < some; ++i) {
        reduce<half>(
            low, i * some,
            [&](std::size_t r, Chunk &bits) {
                std::memcpy(&bits, rows[r] + at - front_bytes, sizeof(Chunk));
                mask.apply(bits);
            },
            carries[i]);
    }
    reduce<half>(
        low + half, 0, [&](std::size_t i, Chunk &bits) { bits = carries[i]; }, carry);
    for (std::size_t k = 0; k < levels; ++k) {
        std::memcpy(&low_[k][at], &low[k], sizeof(Chunk));
    }
    std::uint8_t ones[sizeof(Chunk)];
    std::memcpy(ones, &carry, sizeof(Chunk));
    for (std::size_t i = 0; i < 8 * sizeof(Chunk); ++i) {
        high_[8 * at + i] += std::uint64_t{ones[i / 8] >> (i % 8) & 1U} << levels;
    }
}

template <typename Widest> inline void bit_sums::add_block(block rows) {
    const std::size_t end = front_bytes + row_bytes_;
    std::size_t at = front_bytes;
    for (; at + sizeof(Widest) <= end; at += sizeof(Widest)) {
        add_column<Widest>(rows, at, no_mask());
    }
    for (; at + sizeof(chunk<16>) <= end; at += sizeof(chunk<16>)) {
        add_column<chunk<16>>(rows, at, no_mask());
    }
    for (; at + sizeof(std::uint64_t) <= end; at += sizeof(std::uint64_t)) {
        add_column<std::uint64_t>(rows, at, no_mask());
    }
    if (at < end) { // the last eight bytes, without those that were counted or are of the front
        std::array<std::uint8_t, 8> wanted = {};
        std::fill(wanted.end() - static_cast<std::ptrdiff_t>(end - at), wanted.end(),
                  std::uint8_t{0xff});
        byte_mask mask{};
        std::memcpy(&mask.wanted, wanted.data(), sizeof mask.wanted);
        add_column<std::uint64_t>(rows, end - sizeof(std::uint64_t), mask);
    }
}

// `flatten` and `target` together: the loop and what it calls become one piece of code for that
// instruction set.
__attribute__((flatten)) void bit_sums::add_portable(block rows) { add_block<chunk<16>>(rows); }
#if defined(__x86_64__)
__attribute__((flatten, target("avx2"))) void bit_sums::add_avx2(block rows) {
    add_block<chunk<32>>(rows);
}
__attribute__((flatten, target("avx512bw,avx512vl"))) void bit_sums::add_avx512(block rows) {
    add_block<chunk<64>>(rows);
}
#else
void bit_sums::add_avx2(block rows) { add_portable(rows); }
void bit_sums::add_avx512(block rows) { add_portable(rows); }
#endif

void bit_sums::add(std::span<const std::uint8_t *const> rows) {
    std::array<const std::uint8_t *, block_rows> filled;
    while (!rows.empty()) {
        const std::size_t count = std::min(rows.size(), block_rows);
        const std::uint8_t *const *from = rows.data();
        if (count < block_rows) {
            filled.fill(nothing_.data() + front_bytes);
            std::copy(rows.begin(), rows.end(), filled.begin());
            from = filled.data();
        }
        const block some(from, block_rows);
        switch (kernel_) {
        case vector_kernel::portable:
            add_portable(some);
            break;
        case vector_kernel::avx2:
            add_avx2(some);
            break;
        case vector_kernel::avx512:
            add_avx512(some);
            break;
        }
        rows = rows.subspan(count);
    }
}

void bit_sums::move_to(std::span<std::uint64_t> ones) {
    for (std::size_t i = 0; i < bits_; ++i) {
        ones[i] += high_[8 * front_bytes + i];
        for (std::size_t k = 0; k < levels; ++k) {
            ones[i] += std::uint64_t{low_[k][front_bytes + i / 8] >> (i % 8) & 1U} << k;
        }
    }
    std::fill(high_.begin(), high_.end(), std::uint64_t{0});
    for (std::vector<std::uint8_t> &sums : low_) {
        std::fill(sums.begin(), sums.end(), std::uint8_t{0});
    }
}

} // namespace sotto::aggregator
