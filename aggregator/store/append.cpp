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

// What already stands in the store of the epochs that are added to. Asked in rising order, so that
// a segment is only ever read onward.
class known_rows {
  public:
    known_rows(const store &in, const metric &of, std::uint32_t epoch_min,
               std::uint32_t epoch_max) {
        for (segment &one : in.segments(of)) {
            if (one.record().epoch_min <= epoch_max && epoch_min <= one.record().epoch_max) {
                const row_range rows = one.rows();
                readers_.push_back({std::move(one), rows, 0});
            }
        }
    }

    found find(row_view wanted) {
        found result;
        for (reader &one : readers_) {
            one.go_to(wanted);
            for (std::size_t i = 0; i < one.rest.size() && same_level(one.rest[i], wanted); ++i) {
                result.level = true;
                result.row = result.row || same(one.rest[i], wanted);
            }
        }
        return result;
    }

  private:
    struct reader {
        segment of;
        row_range rest;
        std::size_t passed_bytes; // not yet given back

        // Past the rows below the wanted one's level: leaps that double, then a search in the last.
        void go_to(row_view wanted) {
            const auto below = [&](row_view r) {
                return std::memcmp(r.data(), wanted.data(), level_key_bytes) < 0;
            };
            const std::size_t before_bytes = rest.bytes().size();
            std::size_t leap = 1;
            while (leap < rest.size() && below(rest[leap - 1])) {
                rest = rest.from(leap);
                leap *= 2;
            }
            rest = rest.from(rest.first(std::min(leap, rest.size())).partition_point(below));
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

// What one append changes in the ledger.
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

    void commit(ledger &to, const segment_record &segment, std::uint64_t reports) const {
        transaction all = to.begin();
        to.add(segment);
        for (const epoch_record &one : epochs_) {
            to.add(one);
        }
        to.log("ingest", reports);
        all.commit();
    }

  private:
    std::uint32_t metric_;
    std::vector<epoch_record> epochs_;
};

} // namespace

append_result append(const store &to, const metric &of, row_list &rows) {
    append_result result;
    if (rows.empty()) {
        return result;
    }
    rows.sort();
    known_rows known(to, of, epoch_of(rows[0]), epoch_of(rows[rows.size() - 1]));
    const std::optional<std::uint32_t> closed = to.book().closed_through();

    segment_writer fresh(to.segment_directory(), of);
    changes changed(of.fingerprint);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const row_view one = rows[i];
        const found stored = known.find(one);
        const bool again =
            i > 0 && hash_of(rows[i - 1]) == hash_of(one) && same_level(rows[i - 1], one);
        if (stored.row || (again && same(rows[i - 1], one))) {
            ++result.duplicates;
            continue;
        }
        if (closed && epoch_of(one) <= *closed) {
            ++result.late;
            continue;
        }
        const bool conflict = stored.level || again;
        ++(conflict ? result.conflicts : result.added);
        changed.add(one, conflict);
        fresh.add(one);
    }
    if (const std::optional<segment_record> written = fresh.commit()) {
        changed.commit(to.book(), *written, result.added);
        compact(to, of);
    }
    return result;
}

} // namespace sotto::aggregator
