// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/append.hpp"

#include "aggregator/base/checksum.hpp"
#include "aggregator/store/compact.hpp"

#include <algorithm>
#include <filesystem>

namespace sotto::aggregator {
namespace {

struct found {
    bool level = false; // something of this release and level
    bool row = false;   // the very same
};

// Rows that the store already has of the epochs that are added to. Callers ask in rising order, so
// that a segment is only ever read onward, however many rows of one release there are.
class known_rows {
  public:
    known_rows(const store &in, const metric &m, std::uint32_t epoch_min, std::uint32_t epoch_max) {
        for (segment &file : in.segments(m)) {
            if (file.record().epoch_min <= epoch_max && epoch_min <= file.record().epoch_max) {
                const row_range rows = file.rows();
                readers_.push_back({std::move(file), rows, {}, 0});
            }
        }
    }

    found find(row_view wanted) {
        found result;
        for (reader &source : readers_) {
            source.go_to(wanted);
            const row_view next = source.rest.empty() ? row_view() : source.rest.front();
            const auto is_near = [&](row_view r) { return !r.empty() && same_level(r, wanted); };
            result.level = result.level || is_near(source.passed) || is_near(next);
            result.row = result.row || (is_near(next) && same(next, wanted));
        }
        return result;
    }

  private:
    struct reader {
        segment file;
        row_range rest;
        row_view passed;          // the row before those
        std::size_t passed_bytes; // not yet given back

        // Past the rows below the wanted one: leaps that double, then a search in the last.
        void go_to(row_view wanted) {
            const auto below = [&](row_view r) { return before(r, wanted); };
            const std::size_t before_bytes = rest.bytes().size();
            std::size_t leap = 1;
            while (leap < rest.size() && below(rest[leap - 1])) {
                rest = rest.from(leap);
                leap *= 2;
            }
            rest = rest.from(rest.first(std::min(leap, rest.size())).partition_point(below));
            if (rest.bytes().size() < before_bytes) {
                passed = {rest.bytes().data() - wanted.size(), wanted.size()};
            }
            passed_bytes += before_bytes - rest.bytes().size();
            if (passed_bytes >= release_bytes && !rest.empty()) {
                file.release(rest.front());
                passed_bytes = 0;
            }
        }
    };

    static constexpr std::size_t release_bytes = std::size_t{1} << 24;

    std::vector<reader> readers_;
};

// The changes of one append to the ledger.
class changes {
  public:
    explicit changes(std::uint32_t metric) : metric_(metric) {}

    void add(row_view row, bool conflict) {
        if (epochs_.empty() || epochs_.back().epoch != epoch_of(row)) {
            epochs_.push_back({metric_, epoch_of(row), 0, 0, 0});
        }
        epoch_record &at = epochs_.back();
        ++at.rows;
        at.conflicts += conflict ? 1 : 0;
        at.digest += checksum(row);
    }

    // Within a transaction.
    void write(ledger &book) const {
        for (const epoch_record &record : epochs_) {
            book.add(record);
        }
    }

  private:
    std::uint32_t metric_;
    std::vector<epoch_record> epochs_;
};

// Moves those of the rows that `wanted` wants to the front. It is asked about each and the one
// before, which still stands in its place then.
template <typename Wanted>
row_range keep_if(std::span<std::uint8_t> rows, std::size_t width, Wanted wanted) {
    std::size_t kept_bytes = 0;
    row_view before;
    for (std::size_t at = 0; at < rows.size(); at += width) {
        const row_view row = rows.subspan(at, width);
        if (wanted(row, before)) {
            if (kept_bytes != at) {
                std::memcpy(&rows[kept_bytes], row.data(), width);
            }
            kept_bytes += width;
        }
        before = row;
    }
    return {rows.first(kept_bytes), width};
}

struct written {
    const metric *subject;
    segment_record segment;
    changes changed;
};

// Nothing where no row was new.
std::optional<written> write_new(const store &target, const new_rows &given, append_result &result,
                                 unsynced_files &files) {
    const metric &m = *given.subject;
    const row_list &rows = *given.rows;
    if (rows.empty()) {
        return std::nullopt;
    }
    known_rows known(target, m, rows.epoch_min(), rows.epoch_max());
    const std::optional<std::uint32_t> closed = target.book().closed_through();

    segment_writer fresh(target.segment_directory(), m, target.book(), files);
    changes changed(m.fingerprint);
    const auto is_new = [&](row_view row, row_view before) {
        const found stored = known.find(row);
        const bool again = !before.empty() && same_level(before, row);
        if (stored.row || (again && same(before, row))) {
            ++result.duplicates;
            return false;
        }
        if (closed && epoch_of(row) <= *closed) {
            ++result.late;
            return false;
        }
        const bool conflict = stored.level || again;
        ++(conflict ? result.conflicts : result.added);
        changed.add(row, conflict);
        return true;
    };
    rows.for_each_sorted(
        [&](std::span<std::uint8_t> some) { fresh.add(keep_if(some, rows.width(), is_new)); });
    const std::optional<segment_record> made = fresh.commit();
    return made ? std::optional<written>({&m, *made, std::move(changed)}) : std::nullopt;
}

void record(ledger &book, std::span<const written> files_made, std::uint64_t reports) {
    transaction changing = book.begin();
    for (const written &made : files_made) {
        book.add(made.segment);
        made.changed.write(book);
    }
    book.log("ingest", reports);
    changing.commit();
}

} // namespace

std::vector<append_result> append(const store &target, std::span<const new_rows> batch) {
    std::vector<append_result> results(batch.size());
    std::vector<written> made;
    std::vector<const metric *> grown;
    std::uint64_t added = 0;
    unsynced_files files(target.segment_directory());
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (std::optional<written> made_here = write_new(target, batch[i], results[i], files)) {
            made.push_back(std::move(*made_here));
            grown.push_back(batch[i].subject);
        }
        added += results[i].added;
    }
    if (!made.empty()) {
        files.sync();
        record(target.book(), made, added);
        compact(target, grown);
    }
    return results;
}

append_result append(const store &target, const metric &m, const row_list &rows) {
    const new_rows alone[] = {{&m, &rows}};
    return append(target, alone).front();
}

} // namespace sotto::aggregator
