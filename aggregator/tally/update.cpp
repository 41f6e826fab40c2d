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
    metric_epochs counted_epochs(from, m);
    std::vector<partial_tally> out;
    for (const epoch_record &record : counted_epochs.epochs()) {
        if (wanted(record.epoch)) {
            const epoch_tally tally =
                again ? counted_epochs.count_again(record) : counted_epochs.tally(record);
            out.push_back(
                {m.fingerprint, record.epoch, record.rows, record.digest, {}, tally_bytes(tally)});
        }
    }
    return out;
}

std::vector<partial_tally> parts_of(const store &from, const metric &m, const auto &wanted,
                                    const partition &part) {
    const std::vector<segment> segments = from.segments(m);
    for (const segment &file : segments) {
        file.verify();
    }
    std::vector<partial_tally> out;
    for (const epoch_record &record : from.book().epochs(m.fingerprint)) {
        if (wanted(record.epoch) && !is_expired(from.book(), record.epoch)) {
            out.push_back({m.fingerprint, record.epoch, record.rows, record.digest, part,
                           tally_bytes(count_epoch(segments, m, record.epoch, part))});
        }
    }
    return out;
}

// The store's epochs as they are now, asked once a metric.
class held_epochs {
  public:
    explicit held_epochs(const store &in) : book_(in.book()), metrics_(in.metrics()) {}

    [[noreturn]] void refuse(const partial_tally &tally, const std::string &why) const {
        const metric *m = find(tally.metric);
        throw usage_error(fmt::format(
            "{}, epoch {}: {}", m != nullptr ? m->name : "metric " + fingerprint_text(tally.metric),
            tally.epoch, why));
    }

    const metric *find(std::uint32_t fingerprint) const {
        const auto at = std::ranges::find(metrics_, fingerprint, &metric::fingerprint);
        return at == metrics_.end() ? nullptr : &*at;
    }

    // The record of the very reports that the tally counts.
    const epoch_record &record_of(const partial_tally &tally) {
        const auto [epochs, is_new] = epochs_.try_emplace(tally.metric);
        if (is_new) {
            for (const epoch_record &epoch : book_.epochs(tally.metric)) {
                epochs->second.emplace(epoch.epoch, epoch);
            }
        }
        const auto at = epochs->second.find(tally.epoch);
        if (at == epochs->second.end() || at->second.rows != tally.rows ||
            at->second.digest != tally.digest) {
            refuse(tally,
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
        for (const segment &file : segments) {
            file.verify();
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
    std::vector<partial_tally> tallies;
    for (const metric &m : with.metrics) {
        std::vector<partial_tally> some = part.count == 1
                                              ? tallies_of(from, m, wanted, epoch.has_value())
                                              : parts_of(from, m, wanted, part);
        std::move(some.begin(), some.end(), std::back_inserter(tallies));
    }
    std::ranges::stable_sort(tallies, {}, &partial_tally::metric);
    return tallies;
}

region_tallies sampled(const store &from, const registry &with, std::vector<partial_tally> tallies,
                       const sample_key &key) {
    region_tallies region{"", key.check(), {}, {}};
    const metric *subject = nullptr;
    std::vector<segment> segments; // the subject's
    for (partial_tally &tally : tallies) {
        if (is_expired(from.book(), tally.epoch)) {
            continue;
        }
        if (subject == nullptr || subject->fingerprint != tally.metric) {
            subject = &*std::ranges::find(with.metrics, tally.metric, &metric::fingerprint);
            segments = from.segments(*subject);
            std::ranges::for_each(segments, [](const segment &file) { file.verify(); });
        }
        region.samples.push_back(sample_of(segments, *subject, tally.epoch, key));
        region.tallies.push_back(std::move(tally));
    }
    if (region.tallies.empty() && !tallies.empty()) {
        throw usage_error(
            "--region-key: the epochs are expired, and no reports are left to sample; "
            "tally a region before its epochs expire");
    }
    return region;
}

void check_current(const store &target, const std::vector<partial_tally> &tallies) {
    held_epochs held(target);
    for (const partial_tally &tally : tallies) {
        (void)held.record_of(tally);
    }
}

std::size_t commit_tallies(const store &target, const std::vector<partial_tally> &tallies,
                           tallied where) {
    std::vector<const partial_tally *> fresh;
    held_epochs held(target);
    for (const partial_tally &tally : tallies) {
        const epoch_record &record = held.record_of(tally);
        const auto stored = target.book().tally(tally.metric, tally.epoch);
        const bool is_same =
            stored && stored->digest == tally.digest && stored->counts == tally.counts;
        if (is_same && stored->rows == tally.rows && stored->checksum == checksum(tally.counts)) {
            continue;
        }
        if (!is_same && is_expired(target.book(), tally.epoch)) {
            held.refuse(tally, "it is expired, and its tally can't be replaced, as its reports are "
                               "gone");
        }
        const metric *m = held.find(tally.metric);
        const auto counts = m == nullptr ? std::nullopt : read_tally(*m, tally.counts);
        if (!counts || counted_rows(*counts) > record.rows) {
            held.refuse(tally, fmt::format("this tally can't be of the {} that the store holds; "
                                           "tally it again",
                                           counted(record.rows, "report")));
        }
        if (where == tallied::elsewhere && !is_same && stored_tally(target.book(), *m, record)) {
            held.refuse(tally,
                        fmt::format("this tally contradicts the one that the store has of the "
                                    "same reports; sotto tally --epoch {} counts them again",
                                    tally.epoch));
        }
        fresh.push_back(&tally);
    }
    if (!fresh.empty()) {
        transaction change = target.book().begin();
        for (const partial_tally *tally : fresh) {
            target.book().put(tally_record{tally->metric, tally->epoch, tally->rows, tally->digest,
                                           tally->counts, checksum(tally->counts)});
        }
        target.book().log("tally", 0);
        change.commit();
    }
    return fresh.size();
}

void close_epochs(const store &in, std::uint32_t epoch) {
    if (in.book().closed_through().value_or(0) >= epoch && in.book().closed_through()) {
        return;
    }
    transaction change = in.book().begin();
    in.book().close_through(epoch);
    in.book().log("close", 0);
    change.commit();
}

std::uint64_t expire_epochs(const store &in, std::uint32_t epoch) {
    check_rows(in);
    close_epochs(in, epoch);
    std::uint64_t before = 0, after = 0;
    for (const metric &m : in.metrics()) {
        const auto wanted = [&](std::uint32_t e) { return e <= epoch; };
        (void)commit_tallies(in, tallies_of(in, m, wanted, true), tallied::here);
    }
    for (const segment_record &file : in.book().segments()) {
        before += file.rows;
    }
    {
        transaction change = in.book().begin();
        in.book().expire_through(epoch); // from now on their tallies stand without reports
        change.commit();
    }
    remove_rows_through(in, epoch);
    for (const segment_record &file : in.book().segments()) {
        after += file.rows;
    }
    return before - after;
}

} // namespace sotto::aggregator
