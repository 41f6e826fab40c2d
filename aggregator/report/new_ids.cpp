// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/new_ids.hpp"

#include <algorithm>
#include <cstring>

namespace sotto::aggregator {
namespace {

// A word of ChaCha20's state for as many blocks as there are lanes. Always passed by reference: how
// a vector is passed by value depends on the instruction set.
template <std::size_t Lanes> using words [[gnu::vector_size(4 * Lanes)]] = std::uint32_t;

constexpr std::uint32_t letters(const char (&four)[5]) {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
        word |= std::uint32_t{static_cast<unsigned char>(four[i])} << 8 * i;
    }
    return word;
}

// RFC 8439: the constant, the key, the block's number, the nonce.
constexpr std::size_t seed_word = 4, number_word = 12, state_words = 16;
constexpr std::uint32_t start[state_words] = {letters("expa"),
                                              letters("nd 3"),
                                              letters("2-by"),
                                              letters("te k"),
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              letters("sott"),
                                              letters("o-id"),
                                              0};

template <typename Words> [[gnu::always_inline]] inline void turn(Words &word, unsigned bits) {
    word = word << bits | word >> (32 - bits);
}

template <typename Words>
[[gnu::always_inline]] inline void quarter_round(Words &a, Words &b, Words &c, Words &d) {
    a += b;
    d ^= a;
    turn(d, 16);
    c += d;
    b ^= c;
    turn(b, 12);
    a += b;
    d ^= a;
    turn(d, 8);
    c += d;
    b ^= c;
    turn(b, 7);
}

// At most as many blocks as there are lanes.
template <std::size_t Lanes>
[[gnu::always_inline]] inline void make_some(std::span<const id_block> blocks, std::uint64_t *ids) {
    words<Lanes> first[state_words], x[state_words];
    for (std::size_t i = 0; i < state_words; ++i) {
        first[i] = words<Lanes>{} + start[i];
    }
    for (std::size_t lane = 0; lane < blocks.size(); ++lane) {
        first[seed_word][lane] = static_cast<std::uint32_t>(blocks[lane].seed);
        first[seed_word + 1][lane] = static_cast<std::uint32_t>(blocks[lane].seed >> 32);
        first[number_word][lane] = blocks[lane].number;
    }
    for (std::size_t i = 0; i < state_words; ++i) {
        x[i] = first[i];
    }
    for (int twice = 0; twice < 10; ++twice) {
        quarter_round(x[0], x[4], x[8], x[12]);
        quarter_round(x[1], x[5], x[9], x[13]);
        quarter_round(x[2], x[6], x[10], x[14]);
        quarter_round(x[3], x[7], x[11], x[15]);
        quarter_round(x[0], x[5], x[10], x[15]);
        quarter_round(x[1], x[6], x[11], x[12]);
        quarter_round(x[2], x[7], x[8], x[13]);
        quarter_round(x[3], x[4], x[9], x[14]);
    }
    std::uint32_t stream[state_words][Lanes];
    for (std::size_t i = 0; i < state_words; ++i) {
        x[i] += first[i];
        std::memcpy(stream[i], &x[i], sizeof x[i]);
    }
    for (std::size_t lane = 0; lane < blocks.size(); ++lane) {
        for (std::size_t i = 0; i < ids_in_block; ++i) {
            *ids++ = std::uint64_t{__builtin_bswap32(stream[2 * i][lane])} << 32 |
                     __builtin_bswap32(stream[2 * i + 1][lane]);
        }
    }
}

template <std::size_t Lanes>
[[gnu::always_inline]] inline void make_all(std::span<const id_block> blocks, std::uint64_t *ids) {
    while (!blocks.empty()) {
        const std::size_t some = std::min(Lanes, blocks.size());
        make_some<Lanes>(blocks.first(some), ids);
        blocks = blocks.subspan(some);
        ids += ids_in_block * some;
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void with_avx2(std::span<const id_block> blocks,
                                               std::uint64_t *ids) {
    make_all<8>(blocks, ids);
}
__attribute__((target("avx512bw,avx512vl"))) void with_avx512(std::span<const id_block> blocks,
                                                              std::uint64_t *ids) {
    make_all<16>(blocks, ids);
}
#endif

} // namespace

void make_new_ids(std::span<const id_block> blocks, std::span<std::uint64_t> ids,
                  vector_kernel kernel) {
    switch (kernel) {
    case vector_kernel::portable:
        break;
#if defined(__x86_64__)
    case vector_kernel::avx2:
        return with_avx2(blocks, ids.data());
    case vector_kernel::avx512:
        return with_avx512(blocks, ids.data());
#else
    default:
        break;
#endif
    }
    make_all<4>(blocks, ids.data());
}

} // namespace sotto::aggregator
