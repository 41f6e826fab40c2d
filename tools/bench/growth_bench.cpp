// SPDX-License-Identifier: Apache-2.0
// Work that senders can make larger, at a size and at eight times that size. The rates are alike;
// where the time is as the square of the size, the larger one's is an eighth.
#include "aggregator/base/failure.hpp"
#include "aggregator/registry/registry.hpp"
#include "aggregator/store/append.hpp"
#include "aggregator/store/ingest.hpp"
#include "aggregator/store/sqlite.hpp"
#include "aggregator/tally/update.hpp"
#include "fleet.hpp"
#include "timed.hpp"

#include <benchmark/benchmark.h>

namespace sotto::bench {
namespace {

using namespace aggregator;

const registry_file &file() {
    static const registry_file read = load_registry(SOTTO_BENCH_METRICS);
    return read;
}

const metric &strings() { return file().content.metrics[0]; }

store new_store() {
    store made = store::to_write(scratch("growth"));
    made.keep(file());
    return made;
}

void add_row(row_list &kept, std::uint32_t epoch, std::uint32_t release, std::uint32_t value) {
    std::vector<std::uint8_t> row(row_bytes(strings()));
    put_big_endian(row.data(), epoch);
    put_big_endian(&row[4], release_hash(release));
    put_big_endian(&row[row_head_bytes], value);
    kept.add(row);
}

// JSON of this many objects that is no registry.
void long_registry(benchmark::State &state) {
    std::string text = R"({"format": 2, "x": [{})";
    for (std::int64_t i = 1; i < state.range(0); ++i) {
        text += ",{}";
    }
    text += "]}";
    for (auto _ : state) {
        const timed now(state);
        try {
            (void)parse_registry(text, "M.json");
            state.SkipWithError("it was accepted");
        } catch (const failure &) {
        }
    }
    set_items(state, static_cast<std::size_t>(state.range(0) * state.iterations()));
}

// Each row says another value of the same release; first every other row.
void rows_of_a_release(benchmark::State &state) {
    const auto values = static_cast<std::uint32_t>(state.range(0));
    const auto every = [&](std::uint32_t first, std::uint32_t step) {
        row_list list(row_bytes(strings()));
        for (std::uint32_t v = first; v < values; v += step) {
            add_row(list, 1, 1, v);
        }
        return list;
    };
    for (auto _ : state) {
        const store kept = new_store();
        const timed now(state);
        if (append(kept, strings(), every(1, 2)).added != 1 ||
            append(kept, strings(), every(0, 2)).conflicts != values / 2 ||
            append(kept, strings(), every(0, 1)).duplicates != values) {
            state.SkipWithError("rows were miscounted");
        }
    }
    set_items(state, static_cast<std::size_t>(state.range(0) * state.iterations()));
}

// One report an epoch.
void tallies_of_epochs(benchmark::State &state) {
    const auto epochs = static_cast<std::uint32_t>(state.range(0));
    row_list list(row_bytes(strings()));
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
        add_row(list, epoch, epoch, 1);
    }
    for (auto _ : state) {
        const store kept = new_store();
        (void)append(kept, strings(), list);
        const std::vector<partial_tally> tallies = make_tallies(kept, file().content, {});
        const timed now(state);
        if (commit_tallies(kept, tallies) != epochs) {
            state.SkipWithError("tallies were lost");
        }
    }
    set_items(state, static_cast<std::size_t>(state.range(0) * state.iterations()));
}

// A file is read 500 times after so many others. Its rate is not to depend on them.
void files_after_others(benchmark::State &state) {
    constexpr std::size_t times = 500;
    const std::string path = report_file(20);
    for (auto _ : state) {
        const store kept = new_store();
        sqlite::to_write(kept.segment_directory().parent_path() / "ledger.sqlite")
            ->run(("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
                   std::to_string(state.range(0)) +
                   ") INSERT INTO files SELECT i, 100 + i, 1, 1 FROM n")
                      .c_str());
        const timed now(state);
        ingest taken({fleet_registry()}, [&]() -> const store & { return kept; });
        for (std::size_t i = 0; i < times; ++i) {
            envelope_file file(path);
            (void)taken.add(file);
        }
        taken.finish();
    }
    set_items(state, times * static_cast<std::size_t>(state.iterations()));
}

BENCHMARK(long_registry)->Arg(125'000)->Arg(1'000'000)->UseManualTime();
BENCHMARK(rows_of_a_release)->Arg(8'192)->Arg(65'536)->UseManualTime();
BENCHMARK(tallies_of_epochs)->Arg(750)->Arg(6'000)->UseManualTime();
BENCHMARK(files_after_others)->Arg(6'250)->Arg(50'000)->UseManualTime();

} // namespace
} // namespace sotto::bench
