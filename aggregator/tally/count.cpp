// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/count.hpp"

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/report/parse.hpp"

#include <fmt/format.h>
#include <future>
#include <thread>

namespace sotto::aggregator {
namespace {

constexpr std::uint64_t rows_per_thread = 500'000; // fewer are not worth a thread

[[noreturn]] void fail(const metric &m) {
    throw environment_error(fmt::format("segments of {} hold a row that metric {} can't have; "
                                        "ingest all report files into a new store",
                                        fingerprint_text(m.fingerprint), in_quotes(m.name)));
}

void count(metric_tally &at, const metric &m, row_view one) {
    if (!count_release(at, m, level_of(one), cohort_of(one), value_of(one))) {
        fail(m);
    }
}

} // namespace

epoch_tally count_epoch(std::span<const segment> segments, const metric &m, std::uint32_t epoch,
                        const partition &part) {
    epoch_tally out = empty_epoch_tally(m);
    for_each_release(merged_rows(segments, epoch, part), [&](release_levels levels) {
        count(out.highest, m, levels.back());
        for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
            count(out.lower, m, levels[i]);
        }
        const row_view last = levels.back();
        if (levels.size() > 1 && m.kind() == value_kind::index &&
            (flags_of(last) & report_flags::selected) != 0) {
            const row_view low = levels[levels.size() - 2];
            ++out.selected[{level_of(low), index_of(low), level_of(last), index_of(last)}];
        }
    });
    return out;
}

epoch_tally count_epoch(std::span<const segment> segments, const metric &m,
                        const epoch_record &what) {
    const std::uint64_t useful = what.rows / rows_per_thread + 1;
    const auto threads = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(useful, std::max(1U, std::thread::hardware_concurrency())));
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

metric_epochs::metric_epochs(const store &from, const metric &m)
    : from_(from), metric_(m), epochs_(from.book().epochs(m.fingerprint)) {}

bool metric_epochs::is_stored(const epoch_record &of) const {
    const auto stored = from_.book().tally(of.metric, of.epoch);
    return stored && stored->digest == of.digest;
}

epoch_tally metric_epochs::tally(const epoch_record &of) {
    const auto stored = from_.book().tally(of.metric, of.epoch);
    if (stored && stored->digest == of.digest) {
        auto read = read_tally(metric_, stored->counts);
        if (!read || checksum(stored->counts) != stored->checksum) {
            throw environment_error(fmt::format("the store's tally of {}, epoch {} is damaged; "
                                                "restore the store from a copy",
                                                metric_.name, of.epoch));
        }
        return std::move(*read);
    }
    if (!segments_) {
        segments_ = from_.segments(metric_);
        for (const segment &one : *segments_) {
            one.verify();
        }
    }
    return count_epoch(*segments_, metric_, of);
}

} // namespace sotto::aggregator
