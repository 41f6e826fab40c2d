// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/remark_list.hpp"

#include "aggregator/base/text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

void remark_list::add(const metric &of, std::optional<std::uint32_t> epoch, const std::string &text,
                      kind as) {
    const auto [place, is_new] = places_.try_emplace({&of, text}, all_.size());
    if (is_new) {
        all_.push_back({&of, as, text, {}});
    }
    if (epoch) {
        all_[place->second].epochs.insert(*epoch);
    }
}

std::string remark_list::line_of(const remark &one) const {
    const auto read = read_.find(one.of);
    const bool several = read != read_.end() && read->second.size() > 1;
    return one.of->name +
           (several && !one.epochs.empty() ? ", " + in_runs("epoch", one.epochs) : "") + ": " +
           one.text;
}

void remark_list::add_lines(std::vector<std::string> &out, kind of) const {
    constexpr std::size_t most = 20;
    struct more {
        std::size_t lines = 0, hidden = 0;
        std::set<std::uint32_t> epochs;
    };
    std::map<const metric *, more> said;
    for (const remark &one : all_) {
        if (one.as != of) {
            continue;
        }
        more &here = said[one.of];
        if (++here.lines <= most) {
            out.push_back(line_of(one));
        } else {
            ++here.hidden;
            here.epochs.insert(one.epochs.begin(), one.epochs.end());
        }
    }
    for (const auto &[metric, here] : said) {
        if (here.hidden > 0) {
            out.push_back(line_of(
                {metric, of,
                 fmt::format(
                     "{}{}; --epoch E makes only those of one", counted(here.hidden, "more remark"),
                     of == kind::doubt ? " that counts are not what honest devices send" : ""),
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
