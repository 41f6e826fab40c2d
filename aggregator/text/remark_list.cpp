// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/remark_list.hpp"

#include "aggregator/base/text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

void remark_list::add(const metric &m, std::optional<std::uint32_t> epoch, const std::string &text,
                      kind as) {
    const auto [place, is_new] = places_.try_emplace({&m, text}, remarks_.size());
    if (is_new) {
        remarks_.push_back({&m, as, text, {}});
    }
    if (epoch) {
        remarks_[place->second].epochs.insert(*epoch);
    }
}

std::string remark_list::line_of(const remark &r) const {
    const auto read = read_.find(r.subject);
    const bool several = read != read_.end() && read->second.size() > 1;
    return r.subject->shown_name() +
           (several && !r.epochs.empty() ? ", " + epochs_text(r.subject->words.days, r.epochs)
                                         : "") +
           ": " + r.text;
}

void remark_list::add_lines(std::vector<std::string> &out, kind wanted) const {
    constexpr std::size_t most = 20;
    struct more {
        std::size_t lines = 0, hidden = 0;
        std::set<std::uint32_t> epochs;
    };
    std::map<const metric *, more> said;
    for (const remark &r : remarks_) {
        if (r.as != wanted) {
            continue;
        }
        more &here = said[r.subject];
        if (++here.lines <= most) {
            out.push_back(line_of(r));
        } else {
            ++here.hidden;
            here.epochs.insert(r.epochs.begin(), r.epochs.end());
        }
    }
    for (const auto &[metric, here] : said) {
        if (here.hidden > 0) {
            out.push_back(line_of(
                {metric, wanted,
                 fmt::format(
                     "{}{}; --epoch E makes only those of one", counted(here.hidden, "more remark"),
                     wanted == kind::doubt ? " that counts are not what honest devices send" : ""),
                 here.epochs}));
        }
    }
}

std::vector<std::string> remark_list::lines() const {
    std::vector<std::string> out;
    add_lines(out, kind::doubt);
    add_lines(out, kind::plain);
    return out;
}

} // namespace sotto::aggregator
