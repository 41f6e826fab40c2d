// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/bit_counts.hpp"

#include "aggregator/base/big_endian.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sotto::aggregator {
namespace {

constexpr std::size_t spill_rows = 255; // as many as a byte counts
constexpr std::size_t usual_bytes = 16; // a row's: worth code of its own

// The eight bits of a byte, each in a byte of its own, the first in the first byte of memory.
constexpr auto spread = [] {
    std::array<std::array<std::uint8_t, 8>, 256> table = {};
    for (std::size_t byte = 0; byte < 256; ++byte) {
        for (std::size_t bit = 0; bit < 8; ++bit) {
            table[byte][bit] = byte >> bit & 1;
        }
    }
    return table;
}();

// Counters don't overflow, so no carry leaves a byte.
struct portable_adder {
    void operator()(std::uint8_t *lanes, const std::uint8_t *row, std::size_t bytes) const {
        for (std::size_t i = 0; i < bytes; ++i) {
            std::uint64_t counters = 0, ones = 0;
            std::memcpy(&counters, lanes + 8 * i, 8);
            std::memcpy(&ones, spread[row[i]].data(), 8);
            counters += ones;
            std::memcpy(lanes + 8 * i, &counters, 8);
        }
    }
};

#if defined(__x86_64__)

// Four bytes of each half of `bits`, the halves alike, from its byte `first` on.
__attribute__((target("avx2"))) inline void add_32_bits(std::uint8_t *lanes, __m256i bits,
                                                        char first) {
    const __m256i which = _mm256_setr_epi64x(0x0000000000000000, 0x0101010101010101,
                                             0x0202020202020202, 0x0303030303030303);
    const __m256i mask = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
    const __m256i spread_out =
        _mm256_shuffle_epi8(bits, _mm256_add_epi8(which, _mm256_set1_epi8(first)));
    const __m256i ones = _mm256_cmpeq_epi8(_mm256_and_si256(spread_out, mask), mask);
    auto *at = reinterpret_cast<__m256i *>(lanes);
    _mm256_storeu_si256(at, _mm256_sub_epi8(_mm256_loadu_si256(at), ones));
}

struct avx2_adder {
    __attribute__((target("avx2"))) void operator()(std::uint8_t *lanes, const std::uint8_t *row,
                                                    std::size_t bytes) const {
        std::size_t i = 0;
        for (; i + 16 <= bytes; i += 16) {
            const __m256i both = _mm256_broadcastsi128_si256(
                _mm_loadu_si128(reinterpret_cast<const __m128i *>(row + i)));
            add_32_bits(lanes + 8 * i, both, 0);
            add_32_bits(lanes + 8 * i + 32, both, 4);
            add_32_bits(lanes + 8 * i + 64, both, 8);
            add_32_bits(lanes + 8 * i + 96, both, 12);
        }
        std::uint32_t bits = 0;
        for (; i + 4 <= bytes; i += 4) {
            std::memcpy(&bits, row + i, 4);
            add_32_bits(lanes + 8 * i, _mm256_set1_epi32(static_cast<int>(bits)), 0);
        }
        if (i < bytes) {
            bits = 0;
            std::memcpy(&bits, row + i, bytes - i);
            add_32_bits(lanes + 8 * i, _mm256_set1_epi32(static_cast<int>(bits)), 0);
        }
    }
};

__attribute__((target("avx512bw"))) inline void add_64_bits(std::uint8_t *lanes,
                                                            std::uint64_t bits) {
    const __m512i counters = _mm512_loadu_si512(lanes);
    _mm512_storeu_si512(lanes, _mm512_mask_add_epi8(counters, bits, counters, _mm512_set1_epi8(1)));
}

struct avx512_adder {
    __attribute__((target("avx512bw"))) void
    operator()(std::uint8_t *lanes, const std::uint8_t *row, std::size_t bytes) const {
        std::size_t i = 0;
        for (; i + 8 <= bytes; i += 8) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, row + i, 8);
            add_64_bits(lanes + 8 * i, bits);
        }
        if (i < bytes) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, row + i, bytes - i);
            add_64_bits(lanes + 8 * i, bits);
        }
    }
};

#endif

} // namespace

bit_counts::bit_counts(std::size_t cohorts, std::size_t bits, vector_kernel kernel)
    : bits_(bits), row_bytes_((bits + 7) / 8),
      groups_((bits + sizeof(lane_group) - 1) / sizeof(lane_group)),
      lanes_(groups_ * sizeof(lane_group)), kernel_(kernel), narrow_(cohorts * groups_),
      pending_(cohorts), wide_(cohorts * lanes_), reports_(cohorts) {
    if (cohorts == 1) {
        alone_.emplace(bits, kernel);
    }
}

template <typename Adder>
inline void bit_counts::add_rows(std::span<const std::uint8_t *const> rows, std::size_t bytes,
                                 Adder add_row) {
    // Counters are bytes, which might be these members: so they are looked up before.
    lane_group *const narrow = narrow_.data();
    std::uint8_t *const pending = pending_.data();
    const std::size_t groups = (bytes + 7) / 8;
    for (const std::uint8_t *row : rows) {
        const auto cohort = get_big_endian<std::uint16_t>(row - 2);
        add_row(narrow[cohort * groups].lanes, row, bytes);
        if (++pending[cohort] == spill_rows) [[unlikely]] {
            spill(cohort);
        }
    }
}

// `flatten` and `target` together: the loop and what it calls become one piece of code for that
// instruction set.
#define SOTTO_ADD_WITH(name, adder, attributes)                                                    \
    attributes void bit_counts::name(std::span<const std::uint8_t *const> rows) {                  \
        if (row_bytes_ == usual_bytes) {                                                           \
            add_rows(rows, usual_bytes, adder());                                                  \
        } else {                                                                                   \
            add_rows(rows, row_bytes_, adder());                                                   \
        }                                                                                          \
    }
SOTTO_ADD_WITH(add_portable, portable_adder, __attribute__((flatten)))
#if defined(__x86_64__)
SOTTO_ADD_WITH(add_avx2, avx2_adder, __attribute__((flatten, target("avx2"))))
SOTTO_ADD_WITH(add_avx512, avx512_adder, __attribute__((flatten, target("avx512bw"))))
#else
SOTTO_ADD_WITH(add_avx2, portable_adder, )
SOTTO_ADD_WITH(add_avx512, portable_adder, )
#endif
#undef SOTTO_ADD_WITH

void bit_counts::add(std::span<const std::uint8_t *const> rows) {
    if (alone_) {
        reports_[0] += rows.size();
        return alone_->add(rows);
    }
    switch (kernel_) {
    case vector_kernel::portable:
        return add_portable(rows);
    case vector_kernel::avx2:
        return add_avx2(rows);
    case vector_kernel::avx512:
        return add_avx512(rows);
    }
}

__attribute__((noinline)) void bit_counts::spill(std::size_t cohort) {
    std::uint8_t *narrow = narrow_of(cohort);
    std::uint64_t *wide = &wide_[cohort * lanes_];
    for (std::size_t i = 0; i < lanes_; ++i) {
        wide[i] += narrow[i];
    }
    std::memset(narrow, 0, lanes_);
    reports_[cohort] += pending_[cohort];
    pending_[cohort] = 0;
}

void bit_counts::move_to(std::span<std::uint64_t> ones, std::span<std::uint64_t> reports) {
    if (alone_) {
        alone_->move_to(ones);
    }
    for (std::size_t c = 0; c < reports_.size(); ++c) {
        reports[c] += reports_[c] + pending_[c];
        pending_[c] = 0;
        for (std::size_t i = 0; i < bits_; ++i) {
            ones[c * bits_ + i] += wide_[c * lanes_ + i] + narrow_of(c)[i];
        }
        reports_[c] = 0;
    }
    std::fill(narrow_.begin(), narrow_.end(), lane_group{});
    std::fill(wide_.begin(), wide_.end(), std::uint64_t{0});
}

} // namespace sotto::aggregator
