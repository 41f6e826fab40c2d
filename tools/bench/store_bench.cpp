// SPDX-License-Identifier: Apache-2.0
// From a report file on the disk to counts, with and without the store between.
#include "aggregator/base/bytes.hpp"
#include "aggregator/store/ingest.hpp"
#include "aggregator/tally/bit_counts.hpp"
#include "aggregator/tally/update.hpp"
#include "fleet.hpp"
#include "timed.hpp"

#include <benchmark/benchmark.h>
#include <cstdlib>

namespace sotto::bench {
namespace {

using namespace aggregator;

constexpr std::size_t file_reports = 4'000'000;

void file_to_tallies(benchmark::State &state) {
    const std::string path = report_file(file_reports);
    const metric &m = fleet_registry().metrics[0];
    const report_rules rules(m);
    std::size_t taken = 0;
    for (auto _ : state) {
        const timed now(state);
        envelope_file file(path);
        bit_counts counts(cohorts, bits);
        constexpr std::size_t rows_at_once = 256;
        std::vector<std::uint8_t> rows(rows_at_once * row_bytes(m));
        std::vector<const std::uint8_t *> some;
        const value_layouts layouts(fleet_registry());
        batch_reader reader;
        const auto count = [&] {
            counts.add(some);
            taken += some.size();
            some.clear();
        };
        const auto take = [&](const std::string &block, std::span<const std::size_t> ends) {
            std::vector<batch_bytes> batches;
            std::size_t begin = 0;
            for (const std::size_t end : ends) {
                const auto opened =
                    decode_envelope(std::string_view(block).substr(begin, end - begin));
                if (const envelope *e = std::get_if<envelope>(&opened)) {
                    batches.push_back({bytes_of(e->batch), &layouts});
                }
                begin = end;
            }
            for (const batch_view &batch : reader.read(batches)) {
                for (const report_view &r : batch.reports) {
                    if (!rules.check(r)) {
                        std::uint8_t *row = &rows[some.size() * row_bytes(m)];
                        put_row(r, {row, row_bytes(m)});
                        some.push_back(row + row_head_bytes);
                        if (some.size() == rows_at_once) {
                            count();
                        }
                    }
                }
            }
        };
        std::string block;
        std::vector<std::size_t> ends;
        while (const auto bytes = file.next()) {
            block += *bytes;
            ends.push_back(block.size());
            if (ends.size() == batch_reader::usual_batches) {
                take(block, ends);
                block.clear();
                ends.clear();
            }
        }
        take(block, ends);
        count();
    }
    if (taken != file_reports * static_cast<std::size_t>(state.iterations())) {
        state.SkipWithError("reports were lost");
    }
    set_items(state, taken);
}

void file_to_store_to_tallies(benchmark::State &state) {
    const std::string path = report_file(file_reports);
    std::uint64_t taken = 0;
    for (auto _ : state) {
        const auto directory = scratch("store");
        const timed now(state);
        const store target = store::to_write(directory);
        ingest run({fleet_registry()}, [&]() -> const store & { return target; });
        envelope_file file(path);
        (void)run.add(file);
        run.finish();
        const std::vector<segment> segments = target.segments(fleet_registry().metrics[0]);
        for (const segment &part : segments) {
            part.verify();
        }
        taken += count_epoch(segments, fleet_registry().metrics[0], 7).highest[0].reports;
    }
    if (taken != file_reports * static_cast<std::uint64_t>(state.iterations())) {
        state.SkipWithError("reports were lost");
    }
    set_items(state, taken);
}

// sum_bits.py beside this file, over text with 32 bits a row.
void sum_bits(benchmark::State &state) {
    constexpr std::size_t row_count = 200'000;
    const std::string rows = std::to_string(row_count);
    const std::string path = (scratch("sum_bits") / "rows.csv").string();
    const std::string script = SOTTO_PYTHON " " SOTTO_BENCH_SOURCES "/sum_bits.py ";
    if (std::system((script + "make " + rows + " " + path).c_str()) != 0) {
        state.SkipWithError("sum_bits.py failed");
    }
    for (auto _ : state) {
        const timed now(state);
        if (std::system((script + "sum " + path).c_str()) != 0) {
            state.SkipWithError("sum_bits.py failed");
        }
    }
    set_items(state, row_count * static_cast<std::size_t>(state.iterations()));
}

BENCHMARK(sum_bits)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(file_to_tallies)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(file_to_store_to_tallies)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace
} // namespace sotto::bench
