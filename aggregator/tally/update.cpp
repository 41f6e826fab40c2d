// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/update.hpp"

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/store/compact.hpp"
#include "aggregator/tally/recount.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sotto::aggregator {
namespace {

std::vector<partial_tally> tallies_of(const store &from, const metric &m, const auto &wanted,
                                      bool again) {
    metric_epochs all(from, m);
    std::vector<partial_tally> out;
    for (const epoch_record &one : all.epochs()) {
        if (wanted(one.epoch)) {
            const epoch_tally tally = again ? all.count_again(one) : all.tally(one);
            out.push_back({m.fingerprint, one.epoch, one.rows, one.digest, {}, tally_bytes(tally)});
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
        if (wanted(one.epoch) && !is_expired(from.book(), one.epoch)) {
            out.push_back({m.fingerprint, one.epoch, one.rows, one.digest, part,
                           tally_bytes(count_epoch(segments, m, one.epoch, part))});
        }
    }
    return out;
}

// The store's epochs as they are now, asked once a metric.
class held_epochs {
  public:
    explicit held_epochs(const store &in) : book_(in.book()), metrics_(in.metrics()) {}

    [[noreturn]] void refuse(const partial_tally &one, const std::string &why) const {
        const metric *m = find(one.metric);
        throw usage_error(fmt::format(
            "{}, epoch {}: {}", m != nullptr ? m->name : "metric " + fingerprint_text(one.metric),
            one.epoch, why));
    }

    const metric *find(std::uint32_t fingerprint) const {
        const auto at = std::ranges::find(metrics_, fingerprint, &metric::fingerprint);
        return at == metrics_.end() ? nullptr : &*at;
    }

    // The record of the very reports that the tally counts.
    const epoch_record &of(const partial_tally &one) {
        const auto [epochs, is_new] = epochs_.try_emplace(one.metric);
        if (is_new) {
            for (const epoch_record &epoch : book_.epochs(one.metric)) {
                epochs->second.emplace(epoch.epoch, epoch);
            }
        }
        const auto at = epochs->second.find(one.epoch);
        if (at == epochs->second.end() || at->second.rows != one.rows ||
            at->second.digest != one.digest) {
            refuse(one,
                   "this tally is not of the reports that the store holds now; tally it again");
        }
        return at->second;
    }

  private:
    ledger &book_;
    std::vector<metric> metrics_;
    std::map<std::uint32_t, std::map<std::uint32_t, epoch_record>> epochs_; // by metric and epoch
};

// Before a report is removed for good: what is counted of them for the last time is what came.
void check_rows(const store &in) {
    for (const metric &m : in.metrics()) {
        const std::vector<segment> segments = in.segments(m);
        for (const segment &one : segments) {
            one.verify();
        }
        if (const auto problems = row_problems(in, segments, m); !problems.empty()) {
            throw environment_error(problems[0] +
                                    "; nothing was removed: restore the store from a "
                                    "copy, or ingest all report files into a new one");
        }
    }
}

} // namespace

std::vector<partial_tally> make_tallies(const store &from, const registry &with,
                                        std::optional<std::uint32_t> epoch, const partition &part) {
    const auto wanted = [&](std::uint32_t e) { return !epoch || e == *epoch; };
    if (part.count > 1 && epoch && is_expired(from.book(), *epoch)) {
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

void check_current(const store &of, const std::vector<partial_tally> &tallies) {
    held_epochs held(of);
    for (const partial_tally &one : tallies) {
        (void)held.of(one);
    }
}

std::size_t commit_tallies(const store &to, const std::vector<partial_tally> &tallies,
                           tallied where) {
    std::vector<const partial_tally *> fresh;
    held_epochs held(to);
    for (const partial_tally &one : tallies) {
        const epoch_record &of = held.of(one);
        const auto stored = to.book().tally(one.metric, one.epoch);
        const bool is_same = stored && stored->digest == one.digest && stored->counts == one.counts;
        if (is_same && stored->rows == one.rows && stored->checksum == checksum(one.counts)) {
            continue;
        }
        if (!is_same && is_expired(to.book(), one.epoch)) {
            held.refuse(one, "it is expired, and its tally can't be replaced, as its reports are "
                             "gone");
        }
        const metric *m = held.find(one.metric);
        const auto counts = m == nullptr ? std::nullopt : read_tally(*m, one.counts);
        if (!counts || counted_rows(*counts) > of.rows) {
            held.refuse(one, fmt::format("this tally can't be of the {} that the store holds; "
                                         "tally it again",
                                         counted(of.rows, "report")));
        }
        if (where == tallied::elsewhere && !is_same && stored_tally(to.book(), *m, of)) {
            held.refuse(one, fmt::format("this tally contradicts the one that the store has of the "
                                         "same reports; sotto tally --epoch {} counts them again",
                                         one.epoch));
        }
        fresh.push_back(&one);
    }
    if (!fresh.empty()) {
        transaction all = to.book().begin();
        for (const partial_tally *one : fresh) {
            to.book().put(tally_record{one->metric, one->epoch, one->rows, one->digest, one->counts,
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
    check_rows(in);
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
