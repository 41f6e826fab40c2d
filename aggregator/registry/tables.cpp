// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/tables.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include "mechanism/every_code.hpp"

namespace sotto::aggregator {
namespace {

std::uint8_t epochs(const std::optional<budget> &b) {
    return static_cast<std::uint8_t>(b ? b->epochs : 0);
}

std::uint32_t units(const std::optional<budget> &b) { return b ? b->units : 0; }

} // namespace

tables::tables(const registry &source) {
    auto *metrics = memory_.array<sotto_metric>(source.metrics.size());
    for (std::size_t i = 0; i < source.metrics.size(); ++i) {
        const metric &m = source.metrics[i];
        sotto_metric &out = metrics[i];
        out.fingerprint = m.fingerprint;
        out.id = m.id;
        out.type = m.type;
        out.mechanism = m.mechanism;
        out.level_count = static_cast<std::uint8_t>(m.levels.size());
        out.value_words = m.value_words;
        out.random_bytes = m.random_bytes;
        out.window_epochs = epochs(m.window);
        out.budget = units(m.window);
        out.per_epoch = static_cast<std::uint8_t>(m.per_epoch);
        out.request_level = static_cast<std::uint8_t>(m.request_level);
        out.cost_reports = static_cast<std::uint8_t>(m.cost_reports);
        out.cost = memory_.each<std::uint32_t>(m.costs, [](std::uint32_t n) { return n; });
        if (!m.policy.empty()) {
            const auto *levels =
                memory_.each<std::uint8_t>(m.policy, [](std::uint8_t level) { return level; });
            out.policy = memory_.keep(sotto_policy{levels, sotto_start_by_policy});
        }
        out.forward_count = static_cast<std::uint8_t>(m.forward.size());
        out.forward_fingerprint = memory_.each<std::uint32_t>(
            m.forward, [](const forward_level &s) { return s.fingerprint; });
        mechanism_of(m).to_device(m, memory_, out);
        out.code = code_of(out.mechanism);
        out.forward_code = m.forward.empty() ? nullptr : forward_code_of(out.mechanism);
    }
    registry_.fingerprint = source.fingerprint;
    registry_.metric_count = static_cast<std::uint16_t>(source.metrics.size());
    registry_.metrics = metrics;
    registry_.budget = units(source.device);
    registry_.window_epochs = epochs(source.device);
    registry_.max_epoch_jump = source.max_epoch_jump;
    registry_.padding_bytes = source.padding_bytes;
}

} // namespace sotto::aggregator
