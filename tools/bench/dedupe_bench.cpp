// SPDX-License-Identifier: Apache-2.0
// Exact durable dedupe of keys, of which every tenth comes again: by the store, RocksDB, LMDB and
// SQLite. All say how many keys are distinct, and all of them are on the disk by then.
#include "aggregator/store/append.hpp"
#include "fleet.hpp"
#include "timed.hpp"

#include "sotto/registry.h"

#include <cstring>
#include <lmdb.h>
#include <random>
#include <sqlite3.h>
#ifdef SOTTO_ROCKSDB
#include <rocksdb/db.h>
#endif

namespace sotto::bench {
namespace {

using namespace aggregator;

constexpr std::size_t key_count = 4'000'000, distinct_count = key_count / 10 * 9;

const std::vector<std::uint64_t> &keys() {
    static const std::vector<std::uint64_t> made = [] {
        std::mt19937_64 random(4);
        std::vector<std::uint64_t> keys;
        for (std::size_t i = 0; i < key_count; ++i) {
            keys.push_back(i % 10 == 9 ? keys[random() % keys.size()] : random());
        }
        return keys;
    }();
    return made;
}

// `dedupe` answers how many are distinct; what is left in the directory is removed untimed.
template <typename Dedupe> void dedupe(benchmark::State &state, const Dedupe &dedupe) {
    (void)keys();
    for (auto _ : state) {
        const auto directory = scratch("dedupe");
        std::size_t distinct = 0;
        {
            const timed now(state);
            distinct = dedupe(directory);
        }
        if (distinct != distinct_count) {
            state.SkipWithError("not exact");
        }
    }
    set_items(state, key_count * static_cast<std::size_t>(state.iterations()));
}

void dedupe_sotto(benchmark::State &state) {
    metric m = fleet_registry().metrics[0];
    m.mechanism = SOTTO_MECHANISM_RANDOMIZED_RESPONSE;
    m.table = randomized_response_table();
    dedupe(state, [&](const std::filesystem::path &directory) {
        const store target = store::to_write(directory);
        row_list rows(row_bytes(m));
        report_view r;
        for (const std::uint64_t key : keys()) {
            r.release = key;
            rows.add(r);
        }
        return append(target, m, rows).added;
    });
}

// One transaction, as good as it gets.
void dedupe_sqlite(benchmark::State &state) {
    dedupe(state, [](const std::filesystem::path &directory) {
        sqlite3 *db = nullptr;
        sqlite3_open((directory / "keys").c_str(), &db);
        sqlite3_exec(db,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                     "CREATE TABLE keys (key INTEGER PRIMARY KEY); BEGIN",
                     nullptr, nullptr, nullptr);
        sqlite3_stmt *insert = nullptr;
        sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO keys VALUES (?1)", -1, &insert, nullptr);
        for (const std::uint64_t key : keys()) {
            sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(key));
            sqlite3_step(insert);
            sqlite3_reset(insert);
        }
        sqlite3_finalize(insert);
        const auto added = static_cast<std::size_t>(sqlite3_total_changes(db));
        const bool done = sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK;
        sqlite3_close(db);
        return done ? added : 0;
    });
}

void dedupe_lmdb(benchmark::State &state) {
    dedupe(state, [](const std::filesystem::path &directory) {
        MDB_env *env = nullptr;
        MDB_txn *txn = nullptr;
        MDB_dbi dbi = 0;
        std::size_t added = 0;
        mdb_env_create(&env);
        mdb_env_set_mapsize(env, std::size_t{1} << 32);
        if (mdb_env_open(env, directory.c_str(), 0, 0644) != 0 ||
            mdb_txn_begin(env, nullptr, 0, &txn) != 0 || mdb_dbi_open(txn, nullptr, 0, &dbi) != 0) {
            return added;
        }
        for (std::uint64_t key : keys()) {
            MDB_val k{sizeof key, &key}, v{0, nullptr};
            added += mdb_put(txn, dbi, &k, &v, MDB_NOOVERWRITE) == 0 ? 1 : 0;
        }
        const bool done = mdb_txn_commit(txn) == 0;
        mdb_env_close(env);
        return done ? added : 0;
    });
}

#ifdef SOTTO_ROCKSDB
// In its favour, it writes without asking what is there and without a log. All is in one memory
// table, which a flush makes durable, and is then counted in order.
void dedupe_rocksdb(benchmark::State &state) {
    dedupe(state, [](const std::filesystem::path &directory) {
        rocksdb::Options options;
        options.create_if_missing = true;
        options.compression = rocksdb::kNoCompression;
        options.write_buffer_size = std::size_t{1} << 30;
        rocksdb::DB *opened = nullptr;
        std::size_t distinct = 0;
        if (!rocksdb::DB::Open(options, directory, &opened).ok()) {
            return distinct;
        }
        const std::unique_ptr<rocksdb::DB> db(opened);
        rocksdb::WriteOptions unlogged;
        unlogged.disableWAL = true;
        constexpr std::size_t keys_at_once = 10'000;
        rocksdb::WriteBatch some;
        for (std::size_t i = 0; i < keys().size(); ++i) {
            char key[8];
            std::memcpy(key, &keys()[i], sizeof key);
            some.Put(rocksdb::Slice(key, sizeof key), rocksdb::Slice());
            if ((i + 1) % keys_at_once == 0) {
                if (!db->Write(unlogged, &some).ok()) {
                    return distinct;
                }
                some.Clear();
            }
        }
        static_assert(key_count % keys_at_once == 0);
        if (!db->Flush(rocksdb::FlushOptions()).ok()) {
            return distinct;
        }
        const std::unique_ptr<rocksdb::Iterator> rows_stored(
            db->NewIterator(rocksdb::ReadOptions()));
        for (rows_stored->SeekToFirst(); rows_stored->Valid(); rows_stored->Next()) {
            ++distinct;
        }
        return distinct;
    });
}
BENCHMARK(dedupe_rocksdb)->UseManualTime()->Unit(benchmark::kMillisecond);
#endif

BENCHMARK(dedupe_sotto)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(dedupe_sqlite)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(dedupe_lmdb)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace
} // namespace sotto::bench
