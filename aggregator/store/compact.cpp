// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/compact.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/store/merge.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace sotto::aggregator {
namespace {

constexpr std::size_t segments_max = 8; // at this many of one size they become one of the next
constexpr unsigned size_bits = 3;

// Segments that become one each, of the rows that are kept. With commit() the new files count, the
// old ones no longer; a cut leaves all of one or all of the other.
class rewriting {
  public:
    explicit rewriting(const store &in) : in_(in), files_(in.segment_directory()) {}

    template <typename Keep>
    void add(const metric &m, const std::vector<segment> &old, const Keep &keep) {
        for (const segment &file : old) {
            file.verify();
            old_.push_back(file.record());
        }
        segment_writer writer(in_.segment_directory(), m, in_.book(), files_);
        merged_rows rows(old, std::nullopt);
        for (row_view row = rows.next(); !row.empty(); row = rows.next()) {
            if (keep(row)) {
                writer.add({row, row.size()});
            }
        }
        if (const std::optional<segment_record> made = writer.commit()) {
            made_.push_back(*made);
        }
    }

    // `wait`: the old files are gone when it returns, readers or not.
    void commit(const char *command, bool wait) {
        if (old_.empty()) {
            return;
        }
        files_.sync();
        ledger &book = in_.book();
        transaction change = book.begin();
        for (const segment_record &record : old_) {
            book.remove(record);
        }
        for (const segment_record &record : made_) {
            book.add(record);
        }
        book.log(command, 0);
        change.commit();
        in_.remove_unrecorded(wait);
    }

  private:
    const store &in_;
    unsynced_files files_;
    std::vector<segment_record> old_, made_;
};

} // namespace

void compact(const store &in, std::span<const metric *const> metrics) {
    rewriting work(in);
    for (const metric *m : metrics) {
        std::map<unsigned, std::vector<segment>> by_size;
        for (segment &file : in.segments(*m)) {
            const auto size = static_cast<unsigned>(std::bit_width(file.record().rows)) / size_bits;
            by_size[size].push_back(std::move(file));
        }
        for (const auto &[size, alike] : by_size) {
            if (alike.size() >= segments_max) {
                work.add(*m, alike, [](row_view) { return true; });
            }
        }
    }
    work.commit("compact", false);
}

void remove_rows_through(const store &in, std::uint32_t epoch) {
    for (const metric &m : in.metrics()) {
        for (segment &file : in.segments(m)) {
            if (file.record().epoch_min > epoch) {
                continue;
            }
            std::vector<segment> alone;
            alone.push_back(std::move(file));
            rewriting now(in);
            now.add(m, alone, [&](row_view r) { return epoch_of(r) > epoch; });
            now.commit("expire", true);
        }
    }
}

} // namespace sotto::aggregator
