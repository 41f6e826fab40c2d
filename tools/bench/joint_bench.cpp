// SPDX-License-Identifier: Apache-2.0
// 192,000 pairs of an hour and one of six bands, as they are read, to their joint distribution.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/estimate/report_patterns.hpp"
#include "timed.hpp"

#include "sotto/registry.h"

#include <array>
#include <benchmark/benchmark.h>
#include <random>
#include <vector>

namespace sotto::bench {
namespace {

using report = std::array<std::uint8_t, 4>;
constexpr std::size_t pairs = 192'000;

aggregator::metric category_of(std::uint32_t size, double keep) {
    aggregator::metric m;
    m.type = SOTTO_TYPE_CATEGORY;
    aggregator::k_randomized_response_table table;
    table.size = size;
    m.table = table;
    aggregator::ladder_level level;
    level.law = aggregator::keep_law{keep};
    m.levels.push_back(level);
    return m;
}

std::vector<report> reports_of(std::uint32_t size, double keep, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<report> reports(pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
        const bool kept = std::bernoulli_distribution(keep)(random);
        aggregator::put_big_endian(reports[i].data(),
                                   static_cast<std::uint32_t>((kept ? i : random()) % size));
    }
    return reports;
}

void joint(benchmark::State &state) {
    const aggregator::metric hour = category_of(24, 0.067), band = category_of(6, 0.37);
    const std::vector<report> hours = reports_of(24, 0.067, 1), bands = reports_of(6, 0.37, 2);
    for (auto _ : state) {
        const timed whole(state);
        aggregator::report_likelihood first(hour, {}), second(band, {});
        aggregator::report_patterns patterns(first, second);
        for (std::size_t i = 0; i < pairs; ++i) {
            patterns.add({0, 0, hours[i]}, {0, 0, bands[i]});
        }
        if (!aggregator::estimate_joint(patterns.finish()).converged()) {
            state.SkipWithError("does not converge");
        }
    }
    set_items(state, pairs * state.iterations());
}

BENCHMARK(joint)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace
} // namespace sotto::bench
