// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/report_pairs.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/store/rows.hpp"

#include <fmt/format.h>
#include <map>
#include <set>

namespace sotto::aggregator {
namespace {

using release_key = std::pair<std::uint32_t, release_id>; // epoch first

class pair_reader {
  public:
    pair_reader(const registry &with, const metric &first, const metric &second,
                const pair_options &options)
        : with_(with), sides_{side{&first, {}, {}}, side{&second, {}, {}}}, epoch_(options.epoch) {
        if (options.keys != nullptr) {
            opener_.emplace(*options.keys);
        }
    }

    void add(std::string_view bytes) {
        const auto opened = decode_envelope(bytes);
        const envelope *e = std::get_if<envelope>(&opened);
        if (e == nullptr) {
            return rejected.add(std::get<reason>(opened));
        }
        if (e->registry != with_.fingerprint) {
            return rejected.add(reason::unknown_registry);
        }
        std::string_view in_the_clear = e->batch;
        if (e->sealed) {
            if (!opener_) {
                return rejected.add(reason::sealed);
            }
            const auto text = opener_->open(*e);
            if (const reason *why = std::get_if<reason>(&text)) {
                return rejected.add_key(*why, e->key_id);
            }
            in_the_clear = std::get<std::string_view>(text);
        }
        const auto read = decode_batch(in_the_clear);
        const batch *b = std::get_if<batch>(&read);
        if (b == nullptr) {
            return rejected.add(std::get<reason>(read));
        }
        for (const reason why : b->rejected) {
            rejected.add(why);
        }
        for (side &one : sides_) {
            one.here.clear();
        }
        for (const report &r : b->reports) {
            add(r);
        }
        link();
    }

    pairs_read finish() {
        pairs_read out;
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
            throw usage_error(fmt::format("no envelope has both {} and {}", sides_[0].of->name,
                                          sides_[1].of->name));
        }
        out.epoch = *epochs.begin();
        out.alone = sides_[0].reports.size() + sides_[1].reports.size() - 2 * out.pairs.size();
        out.rejected = rejected;
        return out;
    }

    rejections rejected;

  private:
    struct side {
        const metric *of;
        std::map<release_key, stored_report> reports;
        std::map<std::uint32_t, std::set<release_key>> here; // in this envelope, by epoch
    };

    void add(const report &r) {
        const auto checked = check_report(r, with_);
        if (const reason *why = std::get_if<reason>(&checked)) {
            return rejected.add(*why);
        }
        const metric *of = std::get<const metric *>(checked);
        for (side &one : sides_) {
            if (one.of == of && (!epoch_ || r.epoch == *epoch_)) {
                std::vector<std::uint8_t> value, row(row_bytes(*of));
                put_row(view_of(r, value), row.data());
                const row_view bytes = value_of(row);
                const release_key key = {r.epoch, r.release};
                stored_report &best = one.reports[key];
                if (best.value.empty() || r.level > best.level) {
                    best = {r.level, r.cohort.value_or(0), {bytes.begin(), bytes.end()}};
                }
                one.here[r.epoch].insert(key);
            }
        }
    }

    // A device measures once an epoch. An envelope that was sent again links the same two.
    void link() {
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

    const registry &with_;
    side sides_[2];
    std::optional<std::uint32_t> epoch_;
    std::optional<opener> opener_;
    std::map<release_key, release_key> links_;
    std::set<release_key> ambiguous_;
};

} // namespace

pairs_read read_pairs(const std::vector<std::string> &files, const registry &with,
                      const metric &first, const metric &second, const pair_options &options) {
    pair_reader reader(with, first, second, options);
    for (const std::string &path : files) {
        envelope_file file(path);
        while (const auto bytes = file.next()) {
            reader.add(*bytes);
        }
        if (file.truncated()) {
            reader.rejected.add(reason::truncated);
        }
    }
    return reader.finish();
}

} // namespace sotto::aggregator
