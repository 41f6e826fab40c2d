// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/append.hpp"

#include "aggregator/base/atomic_file.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

// What already stands in the store of the epochs that are added to.
class known_rows {
  public:
    known_rows(const store &in, std::uint32_t fingerprint, const row &first, const row &last) {
        for (segment &one : in.segments(fingerprint)) {
            const std::span<const row> rows = one.rows();
            if (!rows.empty() && !(rows.back() < first) && !(last < rows.front())) {
                one.verify();
                segments_.push_back(std::move(one));
            }
        }
    }

    bool has(const row &wanted) const {
        return std::any_of(segments_.begin(), segments_.end(), [&](const segment &one) {
            return std::binary_search(one.rows().begin(), one.rows().end(), wanted);
        });
    }

    bool has_level(const row &wanted) const {
        row least = {};
        std::copy_n(wanted.begin(), level_key_bytes, least.begin());
        return std::any_of(segments_.begin(), segments_.end(), [&](const segment &one) {
            const auto at = std::lower_bound(one.rows().begin(), one.rows().end(), least);
            return at != one.rows().end() && same_level(*at, wanted);
        });
    }

  private:
    std::vector<segment> segments_;
};

} // namespace

append_result append(const store &to, std::uint32_t fingerprint, std::vector<row> &rows) {
    append_result result;
    if (rows.empty()) {
        return result;
    }
    std::sort(rows.begin(), rows.end());
    const std::size_t offered = rows.size();
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());

    // From the level key's first byte to its last, so that a conflicting row is found too.
    row first = rows.front(), last = rows.back();
    std::fill(first.begin() + level_key_bytes, first.end(), std::uint8_t{0});
    std::fill(last.begin() + level_key_bytes, last.end(), std::uint8_t{0xff});
    const known_rows known(to, fingerprint, first, last);

    std::vector<row> fresh;
    const row *before = nullptr;
    for (const row &one : rows) {
        const bool level_taken =
            known.has_level(one) || (before != nullptr && same_level(*before, one));
        before = &one;
        if (level_taken && known.has(one)) {
            continue;
        }
        ++(level_taken ? result.conflicts : result.added);
        fresh.push_back(one);
    }
    result.duplicates = offered - fresh.size();
    rows.swap(fresh);
    if (!rows.empty()) {
        make_directory(to.segment_directory(fingerprint));
        write_segment(to.segment_directory(fingerprint), fingerprint, rows);
    }
    return result;
}

} // namespace sotto::aggregator
