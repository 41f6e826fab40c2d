// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/tables.hpp"

namespace sotto::aggregator {

tables::tables(const registry &source) {
    for (const metric &m : source.metrics) {
        for (const threshold flip : std::get<randomized_response_table>(m.table).flip) {
            thresholds_.push_back(
                {{static_cast<std::uint32_t>(flip), static_cast<std::uint32_t>(flip >> 32)}});
        }
    }
    // Pointers only once nothing moves any more.
    randomized_response_.reserve(source.metrics.size());
    std::size_t first = 0;
    for (const metric &m : source.metrics) {
        randomized_response_.push_back({&thresholds_[first]});
        first += m.levels.size();
        sotto_metric out = {};
        out.fingerprint = m.fingerprint;
        out.id = m.id;
        out.type = m.type;
        out.mechanism = m.mechanism;
        out.level_count = static_cast<std::uint8_t>(m.levels.size());
        out.random_bytes = m.random_bytes;
        out.table.randomized_response = &randomized_response_.back();
        metrics_.push_back(out);
    }
    registry_.fingerprint = source.fingerprint;
    registry_.metric_count = static_cast<std::uint16_t>(metrics_.size());
    registry_.metrics = metrics_.data();
}

} // namespace sotto::aggregator
