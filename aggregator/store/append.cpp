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
    known_rows(const store &in, const metric &of, std::uint32_t epoch_min,
               std::uint32_t epoch_max) {
        for (segment &one : in.segments(of)) {
            if (one.record().epoch_min <= epoch_max && epoch_min <= one.record().epoch_max) {
                const row_range rows = one.rows();
                readers_.push_back({std::move(one), rows, {}, 0});
            }
        }
    }

    found find(row_view wanted) {
        found result;
        for (reader &one : readers_) {
            one.go_to(wanted);
            const row_view next = one.rest.empty() ? row_view() : one.rest.front();
            const auto is_near = [&](row_view r) { return !r.empty() && same_level(r, wanted); };
            result.level = result.level || is_near(one.passed) || is_near(next);
            result.row = result.row || (is_near(next) && same(next, wanted));
        }
        return result;
    }

  private:
    struct reader {
        segment of;
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
                of.release(rest.front());
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
    void write(ledger &to) const {
        for (const epoch_record &one : epochs_) {
            to.add(one);
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
        const row_view one = rows.subspan(at, width);
        if (wanted(one, before)) {
            if (kept_bytes != at) {
                std::memcpy(&rows[kept_bytes], one.data(), width);
            }
            kept_bytes += width;
        }
        before = one;
    }
    return {rows.first(kept_bytes), width};
}

struct written {
    const metric *of;
    segment_record segment;
    changes changed;
};

// Nothing where no row was new.
std::optional<written> write_new(const store &to, const new_rows &given, append_result &result,
                                 unsynced_files &files) {
    const metric &of = *given.of;
    const row_list &rows = *given.rows;
    if (rows.empty()) {
        return std::nullopt;
    }
    known_rows known(to, of, rows.epoch_min(), rows.epoch_max());
    const std::optional<std::uint32_t> closed = to.book().closed_through();

    segment_writer fresh(to.segment_directory(), of, to.book().next_commit(), files);
    changes changed(of.fingerprint);
    const auto is_new = [&](row_view one, row_view before) {
        const found stored = known.find(one);
        const bool again = !before.empty() && same_level(before, one);
        if (stored.row || (again && same(before, one))) {
            ++result.duplicates;
            return false;
        }
        if (closed && epoch_of(one) <= *closed) {
            ++result.late;
            return false;
        }
        const bool conflict = stored.level || again;
        ++(conflict ? result.conflicts : result.added);
        changed.add(one, conflict);
        return true;
    };
    rows.for_each_sorted(
        [&](std::span<std::uint8_t> some) { fresh.add(keep_if(some, rows.width(), is_new)); });
    const std::optional<segment_record> made = fresh.commit();
    return made ? std::optional<written>({&of, *made, std::move(changed)}) : std::nullopt;
}

void record(ledger &to, std::span<const written> all, std::uint64_t reports) {
    transaction changing = to.begin();
    for (const written &one : all) {
        to.add(one.segment);
        one.changed.write(to);
    }
    to.log("ingest", reports);
    changing.commit();
}

} // namespace

std::vector<append_result> append(const store &to, std::span<const new_rows> all) {
    std::vector<append_result> results(all.size());
    std::vector<written> made;
    std::vector<const metric *> grown;
    std::uint64_t added = 0;
    unsynced_files files(to.segment_directory());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::optional<written> one = write_new(to, all[i], results[i], files)) {
            made.push_back(std::move(*one));
            grown.push_back(all[i].of);
        }
        added += results[i].added;
    }
    if (!made.empty()) {
        files.sync();
        record(to.book(), made, added);
        compact(to, grown);
    }
    return results;
}

append_result append(const store &to, const metric &of, const row_list &rows) {
    const new_rows alone[] = {{&of, &rows}};
    return append(to, alone).front();
}

} // namespace sotto::aggregator
