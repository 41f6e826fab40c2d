// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/tallies_alone.hpp"

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// Whether the store lacks this tally.
bool is_new(ledger &book, const metric &m, const partial_tally &tally) {
    const auto fail = [&](const char *what) {
        throw usage_error(fmt::format("{}, epoch {}: {}", m.name, tally.epoch, what));
    };
    const auto counts = read_tally(m, tally.counts);
    if (tally.part.count != 1 || !counts || counted_rows(*counts) > tally.rows) {
        fail("not a whole tally that reports of this metric can have; tally it again");
    }
    const std::vector<epoch_record> held = book.epochs(m.fingerprint);
    if (std::ranges::find(held, tally.epoch, &epoch_record::epoch) == held.end()) {
        return true;
    }
    const auto stored = book.tally(m.fingerprint, tally.epoch);
    if (!stored || stored->rows != tally.rows || stored->digest != tally.digest ||
        stored->counts != tally.counts) {
        fail("the store has another tally of it; merge the files of all epochs into a new store");
    }
    return false;
}

} // namespace

std::size_t add_tallies_alone(store &target, const registry_file &with,
                              const std::vector<partial_tally> &tallies) {
    ledger &book = target.book();
    if (!book.segments().empty()) {
        throw usage_error("--into: the store has reports; tallies alone go into a store of their "
                          "own");
    }
    std::vector<const partial_tally *> fresh;
    std::uint32_t last = 0;
    for (const partial_tally &tally : tallies) {
        const auto m = std::ranges::find(with.content.metrics, tally.metric, &metric::fingerprint);
        if (m == with.content.metrics.end()) {
            throw usage_error("a tally of a metric that the registry does not have");
        }
        if (is_new(book, *m, tally)) {
            fresh.push_back(&tally);
            last = std::max(last, tally.epoch);
        }
    }
    target.keep(with);
    if (!fresh.empty()) {
        transaction change = book.begin();
        for (const partial_tally *tally : fresh) {
            book.add(epoch_record{tally->metric, tally->epoch, tally->rows, 0, tally->digest});
            book.put(tally_record{tally->metric, tally->epoch, tally->rows, tally->digest,
                                  tally->counts, checksum(tally->counts)});
        }
        book.close_through(last);
        book.expire_through(last);
        book.log("tally", 0);
        change.commit();
    }
    return fresh.size();
}

} // namespace sotto::aggregator
