// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/compact.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/store/merge.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace sotto::aggregator {
namespace {

constexpr std::size_t segments_max = 8; // of a size, then they become one of the next
constexpr unsigned size_bits = 3;

// Segments that become one each, of the rows that are kept. With commit() the new files count, the
// old ones no longer; a cut leaves all of one or all of the other.
class rewriting {
  public:
    explicit rewriting(const store &in) : in_(in), files_(in.segment_directory()) {}

    template <typename Keep>
    void add(const metric &of, const std::vector<segment> &old, const Keep &keep) {
        for (const segment &one : old) {
            one.verify();
            old_.push_back(one.record());
        }
        segment_writer writer(in_.segment_directory(), of, in_.book().next_commit(), files_);
        merged_rows rows(old, std::nullopt);
        for (row_view one = rows.next(); !one.empty(); one = rows.next()) {
            if (keep(one)) {
                writer.add({one, one.size()});
            }
        }
        if (const std::optional<segment_record> made = writer.commit()) {
            made_.push_back(*made);
        }
    }

    void commit(const char *command) {
        if (old_.empty()) {
            return;
        }
        files_.sync();
        ledger &book = in_.book();
        transaction all = book.begin();
        for (const segment_record &one : old_) {
            book.remove(one);
        }
        for (const segment_record &one : made_) {
            book.add(one);
        }
        book.log(command, 0);
        all.commit();
        in_.remove_unrecorded();
    }

  private:
    const store &in_;
    unsynced_files files_;
    std::vector<segment_record> old_, made_;
};

} // namespace

void compact(const store &in, std::span<const metric *const> metrics) {
    rewriting all(in);
    for (const metric *of : metrics) {
        std::map<unsigned, std::vector<segment>> by_size;
        for (segment &one : in.segments(*of)) {
            const auto size = static_cast<unsigned>(std::bit_width(one.record().rows)) / size_bits;
            by_size[size].push_back(std::move(one));
        }
        for (const auto &[size, alike] : by_size) {
            if (alike.size() >= segments_max) {
                all.add(*of, alike, [](row_view) { return true; });
            }
        }
    }
    all.commit("compact");
}

void remove_rows_through(const store &in, std::uint32_t epoch) {
    for (const metric &m : in.metrics()) {
        for (segment &one : in.segments(m)) {
            if (one.record().epoch_min > epoch) {
                continue;
            }
            std::vector<segment> alone;
            alone.push_back(std::move(one));
            rewriting now(in);
            now.add(m, alone, [&](row_view r) { return epoch_of(r) > epoch; });
            now.commit("expire");
        }
    }
}

} // namespace sotto::aggregator
