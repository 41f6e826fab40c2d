// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/append.hpp"

#include "aggregator/base/atomic_file.hpp"

#include <algorithm>

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
    known_rows(const store &in, const metric &of, row_view first, row_view last) {
        for (segment &one : in.segments(of)) {
            const row_range rows = one.rows();
            if (!rows.empty() && !before(rows.back(), first) && !before(last, rows.front())) {
                one.verify();
                readers_.push_back({std::move(one), rows});
            }
        }
    }

    found find(row_view wanted) {
        found result;
        for (reader &one : readers_) {
            one.rest = onward(one.rest, wanted);
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
    };

    // Without the rows below the wanted one's level: leaps that double, then a search in the last.
    static row_range onward(row_range rows, row_view wanted) {
        const auto below = [&](row_view r) {
            return std::memcmp(r.data(), wanted.data(), level_key_bytes) < 0;
        };
        std::size_t leap = 1;
        while (leap < rows.size() && below(rows[leap - 1])) {
            rows = rows.from(leap);
            leap *= 2;
        }
        return rows.from(rows.first(std::min(leap, rows.size())).partition_point(below));
    }

    std::vector<reader> readers_;
};

} // namespace

append_result append(const store &to, const metric &of, row_list &rows) {
    append_result result;
    if (rows.empty()) {
        return result;
    }
    rows.sort();

    // From the level key's first byte to its last, so that a conflicting row is found too.
    std::vector<std::uint8_t> first(rows.width(), 0), last(rows.width(), 0xff);
    std::copy_n(rows[0].begin(), level_key_bytes, first.begin());
    std::copy_n(rows[rows.size() - 1].begin(), level_key_bytes, last.begin());
    known_rows known(to, of, first, last);

    row_list fresh(rows.width());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const row_view one = rows[i];
        if (i > 0 && same(rows[i - 1], one)) {
            continue;
        }
        const found stored = known.find(one);
        if (stored.row) {
            continue;
        }
        const bool level_taken = stored.level || (i > 0 && same_level(rows[i - 1], one));
        ++(level_taken ? result.conflicts : result.added);
        fresh.add(one);
    }
    result.duplicates = rows.size() - fresh.size();
    std::swap(rows, fresh);
    if (!rows.empty()) {
        make_directory(to.segment_directory(of.fingerprint));
        write_segment(to.segment_directory(of.fingerprint), of.fingerprint, rows.range());
    }
    return result;
}

} // namespace sotto::aggregator
