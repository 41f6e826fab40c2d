// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/postgres_ledger.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/store/postgres.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

namespace sotto::aggregator {
namespace {

constexpr std::uint64_t postgres_version = 1; // changes with the tables

// Names are ordered by their bytes, as SQLite does. `writer` has a number for each run that ever
// wrote.
constexpr const char *postgres_schema = R"(
CREATE TABLE sotto_store (
    only_row BOOLEAN PRIMARY KEY DEFAULT true CHECK (only_row), version BIGINT NOT NULL,
    id TEXT NOT NULL, writer BIGINT NOT NULL, changes BIGINT NOT NULL
);
CREATE TABLE segments (
    name TEXT COLLATE "C" PRIMARY KEY, metric BIGINT NOT NULL, rows BIGINT NOT NULL,
    epoch_min BIGINT NOT NULL, epoch_max BIGINT NOT NULL, checksum BIGINT NOT NULL
);
CREATE TABLE epochs (
    metric BIGINT, epoch BIGINT, rows BIGINT NOT NULL, conflicts BIGINT NOT NULL,
    digest BIGINT NOT NULL, PRIMARY KEY (metric, epoch)
);
CREATE TABLE tallies (
    metric BIGINT, epoch BIGINT, digest BIGINT NOT NULL, counts BYTEA NOT NULL,
    checksum BIGINT NOT NULL, rows BIGINT NOT NULL, PRIMARY KEY (metric, epoch)
);
CREATE TABLE files (
    digest BIGINT, bytes BIGINT, envelopes BIGINT NOT NULL, head BIGINT NOT NULL,
    PRIMARY KEY (digest, bytes)
);
CREATE INDEX files_by_head ON files (head, bytes);
CREATE TABLE rejected (
    digest BIGINT, bytes BIGINT, reason TEXT COLLATE "C", count BIGINT NOT NULL,
    PRIMARY KEY (digest, bytes, reason)
);
CREATE TABLE commits (
    number BIGINT PRIMARY KEY, command TEXT NOT NULL, reports BIGINT NOT NULL
);
CREATE TABLE limits (name TEXT PRIMARY KEY, epoch BIGINT NOT NULL);
CREATE TABLE registries (fingerprint BIGINT PRIMARY KEY, checksum BIGINT NOT NULL);
)";

// The store that the ledger says it is of; nothing where there is no ledger.
std::optional<std::string> id_in(postgres &db) {
    statement place(db, "SELECT n.nspname, coalesce(current_schema()::text, '') FROM pg_class c "
                        "JOIN pg_namespace n ON n.oid = c.relnamespace "
                        "WHERE c.oid = to_regclass('sotto_store')");
    if (!place.next()) {
        return std::nullopt;
    }
    // Locks carry the name of the first schema: writers with another one would not wait.
    if (const std::string is = place.text(0), first = place.text(1); is != first) {
        throw environment_error(fmt::format("{}: the ledger is in schema {}, and new tables go to "
                                            "{}; the connection string has a place for the schema: "
                                            "options=-csearch_path={}",
                                            db.name(), is, first.empty() ? "none" : first, is));
    }
    statement s(db, "SELECT version, id FROM sotto_store");
    if (!s.next()) {
        throw environment_error(db.name() + ": it is no whole ledger; restore it from a copy");
    }
    if (s.number(0) != postgres_version) {
        throw environment_error(fmt::format("{}: not the version that this program knows ({}, not "
                                            "{}); if a newer sotto made it, use that one",
                                            db.name(), s.number(0), postgres_version));
    }
    return s.text(1);
}

void check_is(postgres &db, const std::string &id) {
    const std::optional<std::string> found = id_in(db);
    if (!found) {
        throw environment_error(db.name() + ": there is no ledger of sotto; restore it from a "
                                            "copy, or ingest all report files into a new store");
    }
    if (*found != id) {
        throw environment_error(db.name() + ": it is the ledger of another store; each store has "
                                            "its own database, or its own schema");
    }
}

bool is_untouched(postgres &db) {
    return !statement(db, "SELECT 1 FROM registries UNION ALL SELECT 1 FROM commits "
                          "UNION ALL SELECT 1 FROM files")
                .next();
}

} // namespace

void postgres_ledger::check(const std::string &option, const std::string &where) {
    char *why = nullptr;
    PQconninfoOption *parsed = PQconninfoParse(where.c_str(), &why);
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(parsed,
                                                                               PQconninfoFree);
    const std::unique_ptr<char, decltype(&PQfreemem)> message(why, PQfreemem);
    if (!options) {
        throw usage_error(option + ": not a connection string of PostgreSQL, such as "
                                   "postgresql://USER@HOST/DATABASE or service=NAME");
    }
    for (const PQconninfoOption *at = parsed; at->keyword != nullptr; ++at) {
        const std::string key = at->keyword;
        if ((key == "password" || key == "sslpassword") && at->val != nullptr) {
            throw usage_error(option + ": has a password in it, which everybody who reads the "
                                       "store would see; PGPASSFILE or ~/.pgpass has a place for "
                                       "it");
        }
    }
}

ledger postgres_ledger::to_write(const std::string &where,
                                 const std::function<store_identity()> &identify,
                                 const std::function<void()> &on_wait) {
    auto db = std::make_unique<postgres>(where);
    db->lock_for_writing(on_wait);
    const store_identity known = identify();
    transaction change(*db);
    if (known.is_new) {
        const std::optional<std::string> found = id_in(*db);
        if (!found) {
            db->run(postgres_schema);
            statement(*db, "INSERT INTO sotto_store (version, id, writer, changes) "
                           "VALUES ($1, $2, 0, 0)")
                .bind(postgres_version, std::string_view(known.id))
                .run();
        } else if (is_untouched(*db)) { // the store's making was cut
            statement(*db, "UPDATE sotto_store SET id = $1").bind(std::string_view(known.id)).run();
        }
    }
    check_is(*db, known.id);
    statement s(*db, "UPDATE sotto_store SET writer = writer + 1 RETURNING writer");
    (void)s.next();
    const std::uint64_t writer = s.number(0);
    change.commit();
    db->write_as(writer);
    return ledger(std::move(db));
}

ledger postgres_ledger::to_read(const std::string &where, const std::string &id) {
    auto db = std::make_unique<postgres>(where);
    db->hold_files();
    db->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    check_is(*db, id);
    return ledger(std::move(db));
}

std::string postgres_ledger::stamp(const std::string &where, const std::string &id) {
    postgres db(where);
    check_is(db, id);
    statement s(db, "SELECT changes FROM sotto_store");
    return s.next() ? s.text(0) : "";
}

} // namespace sotto::aggregator
