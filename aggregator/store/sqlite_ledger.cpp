// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/sqlite_ledger.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/store/sqlite.hpp"

namespace sotto::aggregator {
namespace {

constexpr const char *sqlite_schema = R"(
CREATE TABLE IF NOT EXISTS segments (
    name TEXT PRIMARY KEY, metric INTEGER NOT NULL, rows INTEGER NOT NULL,
    epoch_min INTEGER NOT NULL, epoch_max INTEGER NOT NULL, checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS epochs (
    metric INTEGER, epoch INTEGER, rows INTEGER NOT NULL, conflicts INTEGER NOT NULL,
    digest INTEGER NOT NULL, PRIMARY KEY (metric, epoch)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tallies (
    metric INTEGER, epoch INTEGER, digest INTEGER NOT NULL, counts BLOB NOT NULL,
    checksum INTEGER NOT NULL, rows INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (metric, epoch)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    digest INTEGER, bytes INTEGER, envelopes INTEGER NOT NULL, head INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (digest, bytes)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rejected (
    digest INTEGER, bytes INTEGER, reason TEXT, count INTEGER NOT NULL,
    PRIMARY KEY (digest, bytes, reason)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS commits (
    number INTEGER PRIMARY KEY, command TEXT NOT NULL, reports INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS limits (name TEXT PRIMARY KEY, epoch INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS registries (fingerprint INTEGER PRIMARY KEY, checksum INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
)";

bool has(sqlite &in, const char *table, const char *column) {
    statement s(in, "SELECT 1 FROM pragma_table_info($1) WHERE name = $2");
    return s.bind(std::string_view(table), std::string_view(column)).next();
}

} // namespace

ledger sqlite_ledger::to_write(const std::filesystem::path &path) {
    std::unique_ptr<sqlite> db = sqlite::to_write(path);
    transaction change(*db);
    db->run(sqlite_schema);
    if (!has(*db, "tallies", "rows")) {
        db->run("ALTER TABLE tallies ADD COLUMN rows INTEGER NOT NULL DEFAULT 0");
    }
    if (!has(*db, "files", "head")) {
        db->run("ALTER TABLE files ADD COLUMN head INTEGER NOT NULL DEFAULT 0");
    }
    db->run("CREATE INDEX IF NOT EXISTS files_by_head ON files (head, bytes)");
    change.commit();
    return ledger(std::move(db));
}

ledger sqlite_ledger::to_read(const std::filesystem::path &path) {
    std::unique_ptr<sqlite> db = sqlite::to_read(path);
    // A transaction that stays open: all that is read is of one commit.
    db->run("BEGIN; SELECT count(*) FROM segments");
    // Until it is written to, what an older program did not keep.
    if (!has(*db, "registries", "fingerprint")) {
        db->run("CREATE TEMP VIEW registries AS SELECT 0 AS fingerprint, 0 AS checksum "
                "WHERE false");
    }
    if (!has(*db, "tallies", "rows")) {
        db->run("CREATE TEMP VIEW tallies AS SELECT *, 0 AS rows FROM main.tallies");
    }
    if (!has(*db, "files", "head")) {
        db->run("CREATE TEMP VIEW files AS SELECT *, 0 AS head FROM main.files");
    }
    return ledger(std::move(db));
}

ledger sqlite_ledger::empty() {
    std::unique_ptr<sqlite> db = sqlite::in_memory();
    db->run(sqlite_schema);
    return ledger(std::move(db));
}

bool sqlite_ledger::names_segments(const std::filesystem::path &path) {
    try {
        const std::unique_ptr<sqlite> db = sqlite::to_read(path);
        return statement(*db, "SELECT 1 FROM segments").next();
    } catch (const environment_error &) {
        return false;
    }
}

} // namespace sotto::aggregator
