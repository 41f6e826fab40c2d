// SPDX-License-Identifier: Apache-2.0
// Stored rows of 128 bits to counts, from the cache: with a random cohort, ours by every kernel and
// bit by bit; and without cohorts.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/store/row.hpp"
#include "aggregator/tally/bit_counts.hpp"
#include "fleet.hpp"

#include <benchmark/benchmark.h>
#include <random>

namespace sotto::bench {
namespace {

constexpr std::size_t row_count = 20'000, value_at = aggregator::row_head_bytes,
                      row_width = value_at + bits / 8;

const std::vector<std::uint8_t> &rows() {
    static const std::vector<std::uint8_t> made = [] {
        std::vector<std::uint8_t> bytes(row_count * row_width);
        std::mt19937_64 random(3);
        for (std::uint8_t &byte : bytes) {
            byte = static_cast<std::uint8_t>(random());
        }
        for (std::size_t i = 0; i < row_count; ++i) {
            aggregator::put_big_endian(&bytes[i * row_width + value_at - 2],
                                       static_cast<std::uint16_t>(random() % cohorts));
        }
        return bytes;
    }();
    return made;
}

void tally_naive(benchmark::State &state) {
    std::vector<std::uint64_t> ones(cohorts * bits);
    for (auto _ : state) {
        for (std::size_t i = 0; i < row_count; ++i) {
            const std::uint8_t *value = &rows()[i * row_width + value_at];
            const auto cohort = aggregator::get_big_endian<std::uint16_t>(value - 2);
            for (std::size_t b = 0; b < bits; ++b) {
                ones[cohort * bits + b] += value[b / 8] >> (b % 8) & 1;
            }
        }
        benchmark::DoNotOptimize(ones.data());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(row_count) * state.iterations());
}

void tally(benchmark::State &state, aggregator::vector_kernel kernel, std::size_t of_cohorts) {
    if (!aggregator::is_supported(kernel)) {
        state.SkipWithError("this machine does not have it");
        return;
    }
    aggregator::bit_counts counts(of_cohorts, bits, kernel);
    std::vector<const std::uint8_t *> pointers;
    for (std::size_t i = 0; i < row_count; ++i) {
        pointers.push_back(&rows()[i * row_width + value_at]);
    }
    for (auto _ : state) {
        counts.add(pointers);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(row_count) * state.iterations());
}

BENCHMARK(tally_naive);
BENCHMARK_CAPTURE(tally, portable, aggregator::vector_kernel::portable, cohorts);
BENCHMARK_CAPTURE(tally, avx2, aggregator::vector_kernel::avx2, cohorts);
BENCHMARK_CAPTURE(tally, avx512, aggregator::vector_kernel::avx512, cohorts);
BENCHMARK_CAPTURE(tally, portable_alone, aggregator::vector_kernel::portable, 1);
BENCHMARK_CAPTURE(tally, avx2_alone, aggregator::vector_kernel::avx2, 1);
BENCHMARK_CAPTURE(tally, avx512_alone, aggregator::vector_kernel::avx512, 1);

} // namespace
} // namespace sotto::bench
