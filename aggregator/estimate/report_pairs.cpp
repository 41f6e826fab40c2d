// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/report_pairs.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/store/admitted_batches.hpp"
#include "aggregator/store/rows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>

namespace sotto::aggregator {
namespace {

using release_key = std::pair<std::uint32_t, release_id>; // epoch first

class pair_reader {
  public:
    pair_reader(const metric &first, const metric &second, std::optional<std::uint32_t> epoch)
        : sides_{side{&first, {}, {}, {}}, side{&second, {}, {}, {}}}, epoch_(epoch) {}

    void add(const std::vector<admitted_report> &batch) {
        for (side &s : sides_) {
            s.here.clear();
            s.elsewhere.clear();
        }
        for (const admitted_report &report_here : batch) {
            add(*report_here.subject, *report_here.content);
        }
        link();
    }

    pairs_read finish(const rejections &rejected) {
        pairs_read out;
        out.rejected = rejected;
        std::set<std::uint32_t> epochs;
        for (const auto &[a, b] : links_) {
            if (!ambiguous_.contains(a)) {
                epochs.insert(a.first);
                out.pairs.push_back({sides_[0].reports.at(a), sides_[1].reports.at(b)});
            }
        }
        if (epochs.size() > 1) {
            throw usage_error(fmt::format("pairs of {} epochs, {} to {}: say which with --epoch",
                                          epochs.size(), *epochs.begin(), *epochs.rbegin()));
        }
        if (out.pairs.empty()) {
            throw usage_error(why_none(rejected));
        }
        out.epoch = *epochs.begin();
        for (const paired_reports &pair : out.pairs) {
            out.contradicted += pair.first.is_contradicted ? 1 : 0;
            out.contradicted += pair.second.is_contradicted ? 1 : 0;
        }
        out.alone = sides_[0].reports.size() + sides_[1].reports.size() - 2 * out.pairs.size();
        return out;
    }

  private:
    struct side {
        const metric *subject;
        std::map<release_key, stored_report> reports;
        // Both of this envelope: what was asked for by epoch, and other epochs.
        std::map<std::uint32_t, std::set<release_key>> here;
        std::set<std::uint32_t> elsewhere;
    };

    // One line, whatever it is: what was wanted, what there is of it, what was not read.
    std::string why_none(const rejections &rejected) const {
        std::string text = fmt::format("no envelope has both {} and {}", sides_[0].subject->name,
                                       sides_[1].subject->name);
        if (epoch_) {
            text += fmt::format(" of epoch {}", *epoch_);
        }
        if (!other_epochs_.empty()) {
            text += ", there are some of " + in_runs("epoch", other_epochs_);
        }
        if (!ambiguous_.empty()) {
            text += "; those that have both have several of one";
        }
        if (rejected.total() > 0) {
            text += fmt::format("; rejected {}: {}", grouped(rejected.total()), rejected.text());
        }
        return text;
    }

    void add(const metric &m, const report &r) {
        for (side &s : sides_) {
            if (s.subject != &m) {
                continue;
            }
            if (epoch_ && r.epoch != *epoch_) {
                s.elsewhere.insert(r.epoch);
            } else {
                std::vector<std::uint8_t> value, row(row_bytes(m));
                put_row(view_of(r, value), row);
                const row_view bytes = value_of(row);
                const release_key key = {r.epoch, r.release};
                stored_report &best = s.reports[key];
                stored_report here = {r.level, r.cohort.value_or(0), {bytes.begin(), bytes.end()}};
                keep(best, std::move(here));
                s.here[r.epoch].insert(key);
            }
        }
    }

    // The least of two that contradict each other, whichever came first, as in a store.
    static void keep(stored_report &best, stored_report here) {
        if (best.value.empty() || here.level > best.level) {
            best = std::move(here);
        } else if (here.level == best.level && here.content() != best.content()) {
            here.is_contradicted = best.is_contradicted = true;
            if (here.content() < best.content()) {
                best = std::move(here);
            }
        }
    }

    // A device measures once an epoch. An envelope that was sent again links the same two.
    void link() {
        std::ranges::set_intersection(sides_[0].elsewhere, sides_[1].elsewhere,
                                      std::inserter(other_epochs_, other_epochs_.end()));
        for (const auto &[epoch, firsts] : sides_[0].here) {
            const auto seconds = sides_[1].here.find(epoch);
            if (seconds == sides_[1].here.end()) {
                continue;
            }
            if (firsts.size() > 1 || seconds->second.size() > 1) {
                ambiguous_.insert(firsts.begin(), firsts.end());
                continue;
            }
            const auto [at, is_new] = links_.try_emplace(*firsts.begin(), *seconds->second.begin());
            if (!is_new && at->second != *seconds->second.begin()) {
                ambiguous_.insert(*firsts.begin());
            }
        }
    }

    side sides_[2];
    std::optional<std::uint32_t> epoch_;
    std::set<std::uint32_t> other_epochs_; // with both sides in one envelope
    std::map<release_key, release_key> links_;
    std::set<release_key> ambiguous_;
};

} // namespace

pairs_read read_pairs(const std::vector<std::string> &files, const registry &with,
                      const metric &first, const metric &second, const pair_options &options) {
    pair_reader reader(first, second, options.epoch);
    admitted_batches batches(with, options.keys,
                             [&](const std::vector<admitted_report> &batch) { reader.add(batch); });
    for (const std::string &path : files) {
        batches.read(path);
    }
    return reader.finish(batches.rejected());
}

} // namespace sotto::aggregator
