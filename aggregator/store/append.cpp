// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/append.hpp"

#include "aggregator/base/atomic_file.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

// What already stands in the store of the epochs that are added to.
class known_rows {
  public:
    known_rows(const store &in, const metric &of, row_view first, row_view last) {
        for (segment &one : in.segments(of)) {
            const row_range rows = one.rows();
            if (!rows.empty() && !before(rows.back(), first) && !before(last, rows.front())) {
                one.verify();
                segments_.push_back(std::move(one));
            }
        }
    }

    bool has(row_view wanted) const {
        return std::any_of(segments_.begin(), segments_.end(), [&](const segment &one) {
            const std::size_t at =
                one.rows().partition_point([&](row_view r) { return before(r, wanted); });
            return at < one.rows().size() && same(one.rows()[at], wanted);
        });
    }

    bool has_level(row_view wanted) const {
        return std::any_of(segments_.begin(), segments_.end(), [&](const segment &one) {
            const std::size_t at = one.rows().partition_point([&](row_view r) {
                return std::memcmp(r.data(), wanted.data(), level_key_bytes) < 0;
            });
            return at < one.rows().size() && same_level(one.rows()[at], wanted);
        });
    }

  private:
    std::vector<segment> segments_;
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
    const known_rows known(to, of, first, last);

    row_list fresh(rows.width());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const row_view one = rows[i];
        if (i > 0 && same(rows[i - 1], one)) {
            continue;
        }
        const bool level_taken = known.has_level(one) || (i > 0 && same_level(rows[i - 1], one));
        if (level_taken && known.has(one)) {
            continue;
        }
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
