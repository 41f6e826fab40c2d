// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/metric_channel.hpp"

#include "aggregator/estimate/k_randomized_response.hpp"

namespace sotto::aggregator {

std::optional<bit_channel> metric_channel(const metric &m, std::size_t level) {
    const level_law &law = m.law(level);
    if (std::holds_alternative<discrete_laplace_table>(m.table) ||
        std::holds_alternative<one_bit_mean_table>(m.table)) {
        return std::nullopt;
    }
    if (const auto *k_ary = std::get_if<k_randomized_response_table>(&m.table)) {
        return k_randomized_response_channel(law.keep, k_ary->size);
    }
    if (std::holds_alternative<randomized_response_table>(m.table)) {
        return bit_channel{law.flip, 1 - law.flip};
    }
    return bit_channel{law.one_if_zero, law.one_if_one};
}

std::vector<bit_channel> metric_channels(const metric &m) {
    std::vector<bit_channel> out;
    for (std::size_t level = 0; level < m.level_count(); ++level) {
        if (const auto channel = metric_channel(m, level)) {
            out.push_back(*channel);
        }
    }
    return out;
}

} // namespace sotto::aggregator
