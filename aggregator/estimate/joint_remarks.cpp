// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/joint_remarks.hpp"

namespace sotto::aggregator {

std::vector<remark> joint_remarks(const pairs_read &read, const joint_fit &fit) {
    std::vector<remark> out;
    const auto say = [&](remark_content content) {
        out.push_back({nullptr, {}, std::move(content)});
    };
    if (read.contradicted > 0) {
        say(releases_contradicted{read.contradicted});
    }
    if (read.alone > 0) {
        say(releases_alone{read.alone});
    }
    if (!read.pairs.empty() && !fit.converged()) {
        say(not_converged{static_cast<std::uint64_t>(fit.rounds), fit.gap});
    }
    return out;
}

} // namespace sotto::aggregator
