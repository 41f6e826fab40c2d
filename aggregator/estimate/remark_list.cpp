// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/remark_list.hpp"

#include "aggregator/base/text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

void remark_list::add(const metric &of, std::optional<std::uint32_t> epoch,
                      const std::string &text) {
    const auto [place, is_new] = places_.try_emplace({&of, text}, all_.size());
    if (is_new) {
        all_.push_back({&of, text, {}});
    }
    if (epoch) {
        all_[place->second].epochs.insert(*epoch);
    }
}

std::vector<std::string> remark_list::lines() const {
    constexpr std::size_t most = 200;
    std::vector<std::string> out;
    for (const remark &one : all_) {
        if (out.size() == most) {
            out.push_back(fmt::format("and {}; --epoch E makes only those of one",
                                      counted(all_.size() - most, "remark")));
            break;
        }
        const auto read = read_.find(one.of);
        const bool several = read != read_.end() && read->second.size() > 1;
        out.push_back(one.of->name +
                      (several && !one.epochs.empty() ? ", " + in_runs("epoch", one.epochs) : "") +
                      ": " + one.text);
    }
    return out;
}

} // namespace sotto::aggregator
