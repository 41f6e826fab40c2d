// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/count.hpp"

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/parallel.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/tally/release_counter.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <future>

namespace sotto::aggregator {
namespace {

constexpr std::uint64_t rows_per_thread = 500'000; // fewer are not worth a thread

[[noreturn]] void fail(const metric &m) {
    throw environment_error(fmt::format("segments of {} hold a row that metric {} can't have; "
                                        "ingest all report files into a new store",
                                        fingerprint_text(m.fingerprint), in_quotes(m.name)));
}

} // namespace

epoch_tally count_epoch(std::span<const segment> segments, const metric &m, std::uint32_t epoch,
                        const partition &part) {
    release_counter counter(m);
    for_each_release(merged_rows(segments, epoch, part), [&](release_levels levels) {
        if (!counter.count(levels)) {
            fail(m);
        }
    });
    return counter.finish();
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
