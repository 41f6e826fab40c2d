// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/unary.hpp"

namespace sotto::aggregator {

std::vector<estimated> estimate_unary(std::span<const unary_count> counts,
                                      std::span<const bit_channel> channels, std::size_t size) {
    std::vector<estimated> results;
    std::vector<level_count> of_member(counts.size());
    for (std::size_t member = 0; member < size; ++member) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            of_member[i].reports = counts[i].reports;
            of_member[i].ones = counts[i].reports > 0 ? counts[i].ones[member] : 0;
        }
        results.push_back(estimate_bit_channel(of_member, channels));
    }
    return results;
}

} // namespace sotto::aggregator
