// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/ledger.hpp"

#include "aggregator/base/failure.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

constexpr const char *tally_columns =
    "SELECT metric, epoch, rows, digest, counts, checksum FROM tallies";
constexpr const char *segment_columns =
    "SELECT name, metric, rows, epoch_min, epoch_max, checksum FROM segments";

std::uint32_t word(const statement &s, int column) {
    return static_cast<std::uint32_t>(s.number(column));
}

template <typename Record, typename Read>
std::vector<Record> all_of(statement &from, const Read &read) {
    std::vector<Record> records;
    while (from.next()) {
        records.push_back(read(from));
    }
    return records;
}

segment_record segment_of(const statement &s) {
    return {s.text(0), word(s, 1), s.number(2), word(s, 3), word(s, 4), s.number(5)};
}

tally_record tally_of(const statement &s) {
    return {word(s, 0), word(s, 1), s.number(2), s.number(3), s.bytes(4), s.number(5)};
}

std::optional<reason> reason_of(const std::string &text) {
    for (std::size_t i = 0; i < reason_count; ++i) {
        if (text == reason_text(static_cast<reason>(i))) {
            return static_cast<reason>(i);
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<segment_record> ledger::segments() {
    statement s(*database_, (std::string(segment_columns) + " ORDER BY name").c_str());
    return all_of<segment_record>(s, segment_of);
}

std::vector<segment_record> ledger::segments(std::uint32_t metric) {
    statement s(*database_,
                (std::string(segment_columns) + " WHERE metric = $1 ORDER BY name").c_str());
    s.bind(std::uint64_t{metric});
    return all_of<segment_record>(s, segment_of);
}

std::vector<epoch_record> ledger::epochs(std::uint32_t metric) {
    statement s(*database_, "SELECT metric, epoch, rows, conflicts, digest FROM epochs "
                            "WHERE metric = $1 ORDER BY epoch");
    s.bind(std::uint64_t{metric});
    return all_of<epoch_record>(s, [](const statement &r) {
        return epoch_record{word(r, 0), word(r, 1), r.number(2), r.number(3), r.number(4)};
    });
}

std::vector<std::uint32_t> ledger::metrics() {
    statement s(*database_, "SELECT DISTINCT metric FROM epochs ORDER BY metric");
    return all_of<std::uint32_t>(s, [](const statement &r) { return word(r, 0); });
}

std::map<std::uint32_t, std::uint64_t> ledger::rows_by_epoch() {
    std::map<std::uint32_t, std::uint64_t> rows;
    for (statement s(*database_, "SELECT epoch, CAST(sum(rows) AS BIGINT) FROM epochs "
                                 "GROUP BY epoch");
         s.next();) {
        rows.emplace(word(s, 0), s.number(1));
    }
    return rows;
}

std::vector<tally_record> ledger::tallies() {
    statement s(*database_, (std::string(tally_columns) + " ORDER BY metric, epoch").c_str());
    return all_of<tally_record>(s, tally_of);
}

std::optional<tally_record> ledger::tally(std::uint32_t metric, std::uint32_t epoch) {
    statement s(*database_,
                (std::string(tally_columns) + " WHERE metric = $1 AND epoch = $2").c_str());
    s.bind(std::uint64_t{metric}, std::uint64_t{epoch});
    return s.next() ? std::optional(tally_of(s)) : std::nullopt;
}

std::vector<commit_record> ledger::commits() {
    statement s(*database_, "SELECT number, command, reports FROM commits ORDER BY number");
    return all_of<commit_record>(s, [](const statement &r) {
        return commit_record{r.number(0), r.text(1), r.number(2)};
    });
}

std::uint64_t ledger::next_commit() {
    statement s(*database_, "SELECT 1 + coalesce(max(number), 0) FROM commits");
    (void)s.next();
    return s.number(0);
}

std::vector<registry_record> ledger::registries() {
    statement s(*database_, "SELECT fingerprint, checksum FROM registries ORDER BY 1");
    return all_of<registry_record>(s, [](const statement &r) {
        return registry_record{word(r, 0), r.number(1)};
    });
}

std::vector<std::string> ledger::contradictions() {
    std::vector<std::string> lines = database_->faults();
    const auto check = [&](const char *sql, const char *what) {
        if (statement(*database_, sql).next()) {
            lines.emplace_back(what);
        }
    };
    check("SELECT 1 FROM rejected LEFT JOIN files USING (digest, bytes) WHERE envelopes IS NULL",
          "rejects of a file that it does not know");
    check("SELECT 1 FROM rejected WHERE count < 1", "a count of rejects that is not above 0");
    for (statement s(*database_, "SELECT DISTINCT reason FROM rejected"); s.next();) {
        if (!reason_of(s.text(0))) {
            lines.emplace_back("rejects for an unknown reason");
        }
    }
    check("SELECT 1 FROM tallies LEFT JOIN epochs USING (metric, epoch) WHERE epochs.rows IS NULL",
          "a tally of an epoch that it has no reports of");
    check("SELECT 1 FROM limits WHERE name NOT IN ('closed', 'expired') "
          "OR epoch NOT BETWEEN 0 AND 4294967295",
          "an end of epochs that is unknown or out of range");
    if (expired_through() && expired_through() > closed_through()) {
        lines.emplace_back("an epoch that is expired and not closed");
    }
    return lines;
}

rejections ledger::rejected() {
    rejections rejected;
    statement s(*database_, "SELECT CAST(sum(count) AS BIGINT) FROM rejected WHERE reason = $1");
    for (std::size_t i = 0; i < reason_count; ++i) {
        const auto why = static_cast<reason>(i);
        for (s.bind(std::string_view(reason_text(why))); s.next();) {
            rejected.add(why, s.number(0));
        }
    }
    return rejected;
}

std::uint64_t ledger::conflicts() {
    statement s(*database_, "SELECT CAST(sum(conflicts) AS BIGINT) FROM epochs");
    return s.next() ? s.number(0) : 0;
}

std::optional<std::uint32_t> ledger::limit(const char *name) {
    statement s(*database_, "SELECT epoch FROM limits WHERE name = $1");
    s.bind(std::string_view(name));
    return s.next() ? std::optional(word(s, 0)) : std::nullopt;
}

std::optional<std::uint32_t> ledger::closed_through() { return limit("closed"); }
std::optional<std::uint32_t> ledger::expired_through() { return limit("expired"); }

void ledger::add(const segment_record &s) {
    statement(*database_, "INSERT INTO segments VALUES ($1, $2, $3, $4, $5, $6)")
        .bind(std::string_view(s.name), std::uint64_t{s.metric}, s.rows, std::uint64_t{s.epoch_min},
              std::uint64_t{s.epoch_max}, s.checksum)
        .run();
}

void ledger::remove(const segment_record &s) {
    statement(*database_, "DELETE FROM segments WHERE name = $1")
        .bind(std::string_view(s.name))
        .run();
}

void ledger::add(const epoch_record &more) {
    // SQLite turns a sum beyond 64 bits into a float, so the digest is added here.
    statement old(*database_, "SELECT digest FROM epochs WHERE metric = $1 AND epoch = $2");
    old.bind(std::uint64_t{more.metric}, std::uint64_t{more.epoch});
    const std::uint64_t digest = (old.next() ? old.number(0) : 0) + more.digest;
    statement(*database_, "INSERT INTO epochs VALUES ($1, $2, $3, $4, $5) "
                          "ON CONFLICT (metric, epoch) DO UPDATE SET "
                          "rows = epochs.rows + excluded.rows, "
                          "conflicts = epochs.conflicts + excluded.conflicts, "
                          "digest = excluded.digest")
        .bind(std::uint64_t{more.metric}, std::uint64_t{more.epoch}, more.rows, more.conflicts,
              digest)
        .run();
}

void ledger::put(const tally_record &t) {
    statement(*database_, "INSERT INTO tallies (metric, epoch, digest, counts, checksum, rows) "
                          "VALUES ($1, $2, $3, $4, $5, $6) "
                          "ON CONFLICT (metric, epoch) DO UPDATE SET digest = excluded.digest, "
                          "counts = excluded.counts, checksum = excluded.checksum, "
                          "rows = excluded.rows")
        .bind(std::uint64_t{t.metric}, std::uint64_t{t.epoch}, t.digest,
              std::span<const std::uint8_t>(t.counts), t.checksum, t.rows)
        .run();
}

void ledger::put(const registry_record &r) {
    statement(*database_, "INSERT INTO registries VALUES ($1, $2) "
                          "ON CONFLICT (fingerprint) DO UPDATE SET checksum = excluded.checksum")
        .bind(std::uint64_t{r.fingerprint}, r.checksum)
        .run();
}

void ledger::put(const file_record &f) {
    statement(*database_, "INSERT INTO files VALUES ($1, $2, $3, $4) "
                          "ON CONFLICT (digest, bytes) DO UPDATE SET "
                          "envelopes = excluded.envelopes, head = excluded.head")
        .bind(f.digest, f.bytes, f.envelopes, f.head)
        .run();
    statement(*database_, "DELETE FROM rejected WHERE digest = $1 AND bytes = $2")
        .bind(f.digest, f.bytes)
        .run();
    for (std::size_t i = 0; i < reason_count; ++i) {
        const auto why = static_cast<reason>(i);
        if (f.rejected.count(why) > 0) {
            statement(*database_, "INSERT INTO rejected VALUES ($1, $2, $3, $4)")
                .bind(f.digest, f.bytes, std::string_view(reason_text(why)), f.rejected.count(why))
                .run();
        }
    }
}

void ledger::log(const char *command, std::uint64_t reports) {
    statement(*database_, "INSERT INTO commits SELECT 1 + coalesce(max(number), 0), "
                          "CAST($1 AS TEXT), CAST($2 AS BIGINT) FROM commits")
        .bind(std::string_view(command), reports)
        .run();
}

void ledger::raise(const char *name, std::uint32_t epoch) {
    statement(*database_, "INSERT INTO limits VALUES ($1, $2) "
                          "ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch "
                          "WHERE limits.epoch < excluded.epoch")
        .bind(std::string_view(name), std::uint64_t{epoch})
        .run();
}

void ledger::close_through(std::uint32_t epoch) { raise("closed", epoch); }
void ledger::expire_through(std::uint32_t epoch) { raise("expired", epoch); }

kept_files::kept_files(ledger &book)
    : next_length_(*book.database_, "SELECT bytes FROM files WHERE head = $1 AND bytes > $2 "
                                    "ORDER BY bytes LIMIT 1"),
      file_(*book.database_, "SELECT envelopes, head FROM files WHERE digest = $1 AND bytes = $2"),
      rejected_(*book.database_,
                "SELECT reason, count FROM rejected WHERE digest = $1 AND bytes = $2") {}

std::optional<std::uint64_t> kept_files::next_length(std::uint64_t above_bytes,
                                                     std::uint64_t head) {
    std::optional<std::uint64_t> least;
    for (const std::uint64_t first_bytes : {std::uint64_t{0}, head}) {
        for (next_length_.bind(first_bytes, above_bytes); next_length_.next();) {
            const std::uint64_t length = next_length_.number(0);
            least = std::min(length, least.value_or(length));
        }
    }
    return least;
}

std::optional<file_record> kept_files::find(std::uint64_t bytes, std::uint64_t digest) {
    std::optional<file_record> found;
    for (file_.bind(digest, bytes); file_.next();) {
        found = file_record{digest, bytes, file_.number(0), file_.number(1), {}};
    }
    if (found) {
        for (rejected_.bind(digest, bytes); rejected_.next();) {
            if (const auto why = reason_of(rejected_.text(0))) {
                found->rejected.add(*why, rejected_.number(1));
            }
        }
    }
    return found;
}

} // namespace sotto::aggregator
