// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/update.hpp"

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/store/compact.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sotto::aggregator {
namespace {

// Its reports may be gone: its tally is all that is left of it.
bool is_expired(const store &in, std::uint32_t epoch) {
    const auto expired = in.book().expired_through();
    return expired && epoch <= *expired;
}

std::vector<partial_tally> tallies_of(const store &from, const metric &m, const auto &wanted,
                                      bool again) {
    metric_epochs all(from, m);
    std::vector<partial_tally> out;
    for (const epoch_record &one : all.epochs()) {
        if (wanted(one.epoch)) {
            const epoch_tally tally = again ? all.count_again(one) : all.tally(one);
            out.push_back({m.fingerprint, one.epoch, one.digest, {}, tally_bytes(tally)});
        }
    }
    return out;
}

std::vector<partial_tally> parts_of(const store &from, const metric &m, const auto &wanted,
                                    const partition &part) {
    const std::vector<segment> segments = from.segments(m);
    for (const segment &one : segments) {
        one.verify();
    }
    std::vector<partial_tally> out;
    for (const epoch_record &one : from.book().epochs(m.fingerprint)) {
        if (wanted(one.epoch) && !is_expired(from, one.epoch)) {
            out.push_back({m.fingerprint, one.epoch, one.digest, part,
                           tally_bytes(count_epoch(segments, m, one.epoch, part))});
        }
    }
    return out;
}

} // namespace

std::vector<partial_tally> make_tallies(const store &from, const registry &with,
                                        std::optional<std::uint32_t> epoch, const partition &part) {
    const auto wanted = [&](std::uint32_t e) { return !epoch || e == *epoch; };
    if (part.count > 1 && epoch && is_expired(from, *epoch)) {
        throw usage_error(fmt::format("epoch {} is expired: it has a tally, and no reports of "
                                      "which a part could be counted",
                                      *epoch));
    }
    std::vector<partial_tally> all;
    for (const metric &m : with.metrics) {
        std::vector<partial_tally> some = part.count == 1
                                              ? tallies_of(from, m, wanted, epoch.has_value())
                                              : parts_of(from, m, wanted, part);
        std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    std::ranges::stable_sort(all, {}, &partial_tally::metric);
    return all;
}

std::size_t commit_tallies(const store &to, const std::vector<partial_tally> &tallies,
                           tallied where) {
    const std::vector<metric> metrics = to.metrics();
    std::vector<const partial_tally *> fresh;
    std::map<std::uint32_t, std::map<std::uint32_t, epoch_record>> held;
    for (const partial_tally &one : tallies) {
        const auto fail = [&](const std::string &what) {
            throw usage_error(fmt::format("metric {}, epoch {}: {}", fingerprint_text(one.metric),
                                          one.epoch, what));
        };
        const auto [of, is_new] = held.try_emplace(one.metric);
        if (is_new) {
            for (const epoch_record &epoch : to.book().epochs(one.metric)) {
                of->second.emplace(epoch.epoch, epoch);
            }
        }
        const auto at = of->second.find(one.epoch);
        if (at == of->second.end() || at->second.digest != one.digest) {
            fail("this tally is not of the reports that the store holds now; tally it again");
        }
        const auto stored = to.book().tally(one.metric, one.epoch);
        const bool is_same = stored && stored->digest == one.digest && stored->counts == one.counts;
        if (is_same && stored->checksum == checksum(one.counts)) {
            continue;
        }
        if (!is_same && is_expired(to, one.epoch)) {
            fail("it is expired, and its tally can't be replaced, as its reports are gone");
        }
        const auto m = std::ranges::find(metrics, one.metric, &metric::fingerprint);
        const auto counts = m == metrics.end() ? std::nullopt : read_tally(*m, one.counts);
        if (!counts || counted_rows(*counts) > at->second.rows) {
            fail(fmt::format("this tally can't be of the {} that the store holds; tally it again",
                             counted(at->second.rows, "report")));
        }
        if (where == tallied::elsewhere && stored_tally(to.book(), *m, at->second)) {
            fail(fmt::format("this tally contradicts the one that the store has of the same "
                             "reports; sotto tally --epoch {} counts them again",
                             one.epoch));
        }
        fresh.push_back(&one);
    }
    if (!fresh.empty()) {
        transaction all = to.book().begin();
        for (const partial_tally *one : fresh) {
            to.book().put(tally_record{one->metric, one->epoch, one->digest, one->counts,
                                       checksum(one->counts)});
        }
        to.book().log("tally", 0);
        all.commit();
    }
    return fresh.size();
}

void close_epochs(const store &in, std::uint32_t epoch) {
    if (in.book().closed_through().value_or(0) >= epoch && in.book().closed_through()) {
        return;
    }
    transaction all = in.book().begin();
    in.book().close_through(epoch);
    in.book().log("close", 0);
    all.commit();
}

std::uint64_t expire_epochs(const store &in, std::uint32_t epoch) {
    close_epochs(in, epoch);
    std::uint64_t before = 0, after = 0;
    for (const metric &m : in.metrics()) {
        const auto wanted = [&](std::uint32_t e) { return e <= epoch; };
        (void)commit_tallies(in, tallies_of(in, m, wanted, true), tallied::here);
    }
    for (const segment_record &one : in.book().segments()) {
        before += one.rows;
    }
    {
        transaction all = in.book().begin();
        in.book().expire_through(epoch); // from now on their tallies stand without reports
        all.commit();
    }
    remove_rows_through(in, epoch);
    for (const segment_record &one : in.book().segments()) {
        after += one.rows;
    }
    return before - after;
}

} // namespace sotto::aggregator
