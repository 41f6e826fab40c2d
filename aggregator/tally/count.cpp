// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/count.hpp"

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/parallel.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/report/parse.hpp"
#include "aggregator/tally/bit_counts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <numeric>
#include <ranges>

namespace sotto::aggregator {
namespace {

constexpr std::uint64_t rows_per_thread = 500'000; // fewer are not worth a thread

[[noreturn]] void fail(const metric &m) {
    throw environment_error(fmt::format("segments of {} hold a row that metric {} can't have; "
                                        "ingest all report files into a new store",
                                        fingerprint_text(m.fingerprint), in_quotes(m.name)));
}

// Counts rows one by one, those of bits many at a time.
class row_counter {
  public:
    explicit row_counter(const metric &m)
        : metric_(m), tally_(empty_tally(m)), bits_(tally_.size()) {
        for (std::vector<const std::uint8_t *> &some : waiting_) {
            some.reserve(rows_at_once);
        }
    }

    void count(row_view row) {
        const std::uint8_t level = level_of(row);
        if (values_.kind != value_kind::bits) {
            if (!count_release(tally_, metric_, level, cohort_of(row), value_of(row))) {
                fail(metric_);
            }
            return;
        }
        if (level >= tally_.size() || cohort_of(row) >= tally_[level].cohorts.size() ||
            (row.back() & unused_) != 0) {
            fail(metric_);
        }
        waiting_[level].push_back(row.data() + row_head_bytes);
        if (waiting_[level].size() == rows_at_once) {
            drain(level);
        }
    }

    metric_tally finish() {
        for (std::size_t level = 0; level < tally_.size(); ++level) {
            drain(level);
            level_tally &at = tally_[level];
            if (bits_[level]) {
                bits_[level]->move_to(at.ones, at.cohorts);
                at.reports =
                    std::accumulate(at.cohorts.begin(), at.cohorts.end(), std::uint64_t{0});
            }
        }
        return std::move(tally_);
    }

  private:
    static constexpr std::size_t rows_at_once = 256;

    void drain(std::size_t level) {
        if (waiting_[level].empty()) {
            return;
        }
        if (!bits_[level]) {
            bits_[level].emplace(tally_[level].cohorts.size(), values_.size);
        }
        bits_[level]->add(waiting_[level]);
        waiting_[level].clear();
    }

    const metric &metric_;
    published_values values_ = mechanism_of(metric_).published(metric_);
    metric_tally tally_;
    std::uint8_t unused_ = unused_bits_of(values_);
    std::vector<std::optional<bit_counts>> bits_;                           // by level
    std::vector<std::vector<const std::uint8_t *>> waiting_{tally_.size()}; // by level
};

bool is_selected(row_view row) { return (flags_of(row) & report_flags::selected) != 0; }

// The levels that can be counted of a release: none, where what it was selected by is missing.
release_levels up_to_selected(release_levels levels) {
    const auto first = std::find_if(levels.begin(), levels.end(), is_selected);
    if (first == levels.end()) {
        return levels;
    }
    const auto before = static_cast<std::size_t>(first - levels.begin());
    return levels.first(before == 0 ? 0 : before + 1);
}

} // namespace

epoch_tally count_epoch(std::span<const segment> segments, const metric &m, std::uint32_t epoch,
                        const partition &part) {
    epoch_tally out;
    row_counter highest(m), lower(m);
    const bool is_index = m.kind() == value_kind::index;
    for_each_release(merged_rows(segments, epoch, part), [&](release_levels levels) {
        levels = is_index ? up_to_selected(levels) : levels;
        if (levels.empty()) {
            ++out.unexplained;
            return;
        }
        const row_view last = levels.back();
        highest.count(last);
        for (const row_view row : levels.first(levels.size() - 1)) {
            lower.count(row);
        }
        if (is_index && is_selected(last)) {
            const row_view low = levels[levels.size() - 2];
            ++out.selected[{level_of(low), index_of(low), level_of(last), index_of(last)}];
        }
    });
    out.highest = highest.finish();
    out.lower = lower.finish();
    return out;
}

epoch_tally count_epoch(std::span<const segment> segments, const metric &m,
                        const epoch_record &what) {
    const std::uint64_t useful = what.rows / rows_per_thread + 1;
    const auto threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(useful, core_count()));
    std::vector<std::future<epoch_tally>> parts;
    for (std::uint32_t i = 1; i < threads; ++i) {
        parts.push_back(std::async(std::launch::async, [&, i] {
            return count_epoch(segments, m, what.epoch, {i, threads});
        }));
    }
    epoch_tally sum = count_epoch(segments, m, what.epoch, {0, threads});
    for (std::future<epoch_tally> &part : parts) {
        add(sum, part.get());
    }
    return sum;
}

bool is_expired(ledger &book, std::uint32_t epoch) {
    const auto expired = book.expired_through();
    return expired && epoch <= *expired;
}

// An older program kept no number of rows. Where there are reports they are counted again; of an
// epoch that is expired it stands, as none came since.
bool is_of(ledger &book, const tally_record &tally, const epoch_record &rows) {
    return tally.digest == rows.digest &&
           (tally.rows == rows.rows || (tally.rows == 0 && is_expired(book, rows.epoch)));
}

std::optional<epoch_tally> stored_tally(ledger &book, const metric &m, const epoch_record &epoch) {
    const auto stored = book.tally(m.fingerprint, epoch.epoch);
    if (!stored || !is_of(book, *stored, epoch) || checksum(stored->counts) != stored->checksum) {
        return std::nullopt;
    }
    auto tally = read_tally(m, stored->counts);
    return tally && counted_rows(*tally) <= epoch.rows ? std::move(tally) : std::nullopt;
}

metric_epochs::metric_epochs(const store &from, const metric &m)
    : from_(from), metric_(m), epochs_(from.book().epochs(m.fingerprint)) {}

epoch_tally metric_epochs::tally(const epoch_record &epoch) {
    if (auto stored = stored_tally(from_.book(), metric_, epoch)) {
        return std::move(*stored);
    }
    if (is_expired(from_.book(), epoch.epoch)) {
        throw environment_error(fmt::format("{}, epoch {}: its reports are expired, and there is "
                                            "no sound tally of them; restore the store from a copy",
                                            metric_.name, epoch.epoch));
    }
    return count_again(epoch);
}

epoch_tally metric_epochs::count_again(const epoch_record &epoch) {
    if (is_expired(from_.book(), epoch.epoch)) {
        return tally(epoch);
    }
    if (!segments_) {
        segments_ = from_.segments(metric_);
        for (const segment &file : *segments_) {
            file.verify();
        }
    }
    return count_epoch(*segments_, metric_, epoch);
}

} // namespace sotto::aggregator
