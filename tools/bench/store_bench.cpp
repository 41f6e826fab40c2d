// SPDX-License-Identifier: Apache-2.0
// From a report file on the disk to counts, with and without the store between; and exact durable
// dedupe of keys by the store, SQLite and LMDB. Processor time of all threads and children: what is
// waited for, as the disk and other people's work, does not count for anyone.
#include "aggregator/store/append.hpp"
#include "aggregator/store/ingest.hpp"
#include "aggregator/tally/bit_counts.hpp"
#include "aggregator/tally/update.hpp"
#include "fleet.hpp"

#include "sotto/registry.h"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <lmdb.h>
#include <random>
#include <sqlite3.h>
#include <sys/resource.h>

namespace sotto::bench {
namespace {

using namespace aggregator;

constexpr std::size_t file_reports = 4'000'000;

double cpu_seconds(int who) {
    rusage used = {};
    getrusage(who, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

double cpu_seconds() { return cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN); }

// Until it goes out of scope.
class timed {
  public:
    explicit timed(benchmark::State &state) : state_(state) {}
    timed(const timed &) = delete;
    timed &operator=(const timed &) = delete;
    ~timed() { state_.SetIterationTime(cpu_seconds() - begun_); }

  private:
    benchmark::State &state_;
    double begun_ = cpu_seconds();
};

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
        batch_parts parts;
        const auto count = [&] {
            counts.add(some);
            taken += some.size();
            some.clear();
        };
        while (const auto bytes = file.next()) {
            const auto opened = decode_envelope(*bytes);
            const envelope *e = std::get_if<envelope>(&opened);
            if (e == nullptr ||
                split_batch(
                    {reinterpret_cast<const std::uint8_t *>(e->batch.data()), e->batch.size()},
                    parts)) {
                continue;
            }
            for (const auto one : parts.reports) {
                report_view r;
                if (!parse_report(one, parts.epoch, r) && !rules.check(r)) {
                    std::uint8_t *row = &rows[some.size() * row_bytes(m)];
                    put_row(r, row);
                    some.push_back(row + row_head_bytes);
                    if (some.size() == rows_at_once) {
                        count();
                    }
                }
            }
        }
        count();
    }
    if (taken != file_reports * static_cast<std::size_t>(state.iterations())) {
        state.SkipWithError("reports were lost");
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(taken));
}

void file_to_store_to_tallies(benchmark::State &state) {
    const std::string path = report_file(file_reports);
    std::uint64_t taken = 0;
    for (auto _ : state) {
        const auto directory = scratch("store");
        const timed now(state);
        const store to = store::to_write(directory);
        ingest all({fleet_registry()}, [&]() -> const store & { return to; });
        envelope_file file(path);
        (void)all.add(file);
        all.finish();
        const std::vector<segment> segments = to.segments(fleet_registry().metrics[0]);
        for (const segment &one : segments) {
            one.verify();
        }
        taken += count_epoch(segments, fleet_registry().metrics[0], 7).highest[0].reports;
    }
    if (taken != file_reports * static_cast<std::uint64_t>(state.iterations())) {
        state.SkipWithError("reports were lost");
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(taken));
}

// Release ids of which every tenth comes again.
std::vector<std::uint64_t> keys(std::size_t count) {
    std::mt19937_64 random(4);
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(i % 10 == 9 ? all[random() % all.size()] : random());
    }
    return all;
}

void dedupe_sotto(benchmark::State &state) {
    const std::vector<std::uint64_t> all = keys(4'000'000);
    metric m = fleet_registry().metrics[0];
    m.mechanism = SOTTO_MECHANISM_RANDOMIZED_RESPONSE;
    m.table = randomized_response_table();
    std::uint64_t added = 0;
    for (auto _ : state) {
        const store to = store::to_write(scratch("dedupe"));
        const timed now(state);
        row_list rows(row_bytes(m));
        report_view r;
        for (const std::uint64_t key : all) {
            r.release = key;
            rows.add(r);
        }
        added += append(to, m, rows).added;
    }
    if (added != all.size() / 10 * 9 * static_cast<std::uint64_t>(state.iterations())) {
        state.SkipWithError("not exact");
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(all.size()) * state.iterations());
}

// One transaction, as good as it gets.
void dedupe_sqlite(benchmark::State &state) {
    const std::vector<std::uint64_t> all = keys(4'000'000);
    for (auto _ : state) {
        const auto path = scratch("sqlite") / "keys";
        const timed now(state);
        sqlite3 *db = nullptr;
        sqlite3_open(path.c_str(), &db);
        sqlite3_exec(db,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                     "CREATE TABLE keys (key INTEGER PRIMARY KEY); BEGIN",
                     nullptr, nullptr, nullptr);
        sqlite3_stmt *insert = nullptr;
        sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO keys VALUES (?1)", -1, &insert, nullptr);
        for (const std::uint64_t key : all) {
            sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(key));
            sqlite3_step(insert);
            sqlite3_reset(insert);
        }
        sqlite3_finalize(insert);
        if (sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK) {
            state.SkipWithError("SQLite failed");
        }
        sqlite3_close(db);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(all.size()) * state.iterations());
}

void dedupe_lmdb(benchmark::State &state) {
    const std::vector<std::uint64_t> all = keys(4'000'000);
    for (auto _ : state) {
        const auto path = scratch("lmdb");
        const timed now(state);
        MDB_env *env = nullptr;
        MDB_txn *txn = nullptr;
        MDB_dbi dbi = 0;
        mdb_env_create(&env);
        mdb_env_set_mapsize(env, std::size_t{1} << 32);
        if (mdb_env_open(env, path.c_str(), 0, 0644) != 0 ||
            mdb_txn_begin(env, nullptr, 0, &txn) != 0 || mdb_dbi_open(txn, nullptr, 0, &dbi) != 0) {
            state.SkipWithError("LMDB failed");
            return;
        }
        for (std::uint64_t key : all) {
            MDB_val k{sizeof key, &key}, v{0, nullptr};
            mdb_put(txn, dbi, &k, &v, MDB_NOOVERWRITE);
        }
        if (mdb_txn_commit(txn) != 0) {
            state.SkipWithError("LMDB failed");
        }
        mdb_env_close(env);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(all.size()) * state.iterations());
}

// sum_bits.py beside this file, over text with 32 bits a row.
void sum_bits(benchmark::State &state) {
    const std::string rows = "200000";
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
    state.SetItemsProcessed(std::stol(rows) * state.iterations());
}

BENCHMARK(sum_bits)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(file_to_tallies)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(file_to_store_to_tallies)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(dedupe_sotto)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(dedupe_sqlite)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(dedupe_lmdb)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace
} // namespace sotto::bench
