// SPDX-License-Identifier: Apache-2.0
#include "client/registry_check.hpp"

#include "client/adopt.hpp"
#include "client/client_code.hpp"
#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "privacy/ledger.hpp"

namespace sotto {
namespace {

// The bytes that the tables ask for.
size_t random_bytes_of(const sotto_metric &m) {
    size_t most = 0;
    const auto raise = [&](size_t bytes) { most = bytes > most ? bytes : most; };
    for (uint32_t i = 0; i < m.level_count; ++i) {
        raise(level_bytes(m, i));
    }
    for (uint32_t i = 0; i < m.forward_count; ++i) {
        raise(forward_bytes(m, i));
    }
    return most;
}

// A budget of nothing could never be kept; one without a window would never free.
bool is_budget(uint32_t budget, uint8_t window_epochs) {
    return (budget == 0) == (window_epochs == 0) && window_epochs <= window_epochs_max &&
           budget <= ledger::budget_max;
}

// Costs that are missing, nothing, or fall again would let something out for free.
bool are_costs(const sotto_metric &m) {
    const uint32_t levels = uint32_t{m.level_count} + m.forward_count;
    const uint32_t reports = m.cost_reports == 0 ? 1 : m.cost_reports;
    if (m.cost == nullptr || m.cost[0] == 0 || reports > cost_reports_max) {
        return false;
    }
    const uint32_t *at = m.cost;
    for (uint32_t level = 0; level < levels; ++level) {
        for (uint32_t i = 0; i < reports; ++i, ++at) {
            if ((i > 0 && *at < at[-1]) || (level > 0 && *at < *(at - reports))) {
                return false;
            }
        }
    }
    return true;
}

// May each metric's first report be made at all?
bool is_spending(const sotto_metric &m, const sotto_registry &registry) {
    return are_costs(m) && m.per_epoch > 0 && m.request_level < m.level_count &&
           is_budget(m.budget, m.window_epochs) && (m.budget == 0 || m.cost[0] <= m.budget) &&
           (registry.budget == 0 || m.cost[0] <= registry.budget);
}

bool is_table(const sotto_metric &m) {
    return m.code != nullptr && m.code->mechanism == m.mechanism && m.code->is_sound(m) &&
           (m.client == nullptr ? m.cost_reports == 0 : m.client->is_sound(m));
}

// Drawing forward needs the tables for it, and a single measurement: among several nobody knows
// which is meant.
bool is_forward(const sotto_metric &m) {
    return m.forward_count == 0 ||
           (m.per_epoch == 1 && m.forward_fingerprint != nullptr && m.forward_code != nullptr &&
            m.forward_code->kind == m.code->forward && m.forward_code->is_sound(m));
}

// Reports of metrics with equal fingerprints would be counted together.
bool is_fingerprint_taken(const sotto_registry &registry, const sotto_metric &m) {
    bool is_taken = false;
    for (const sotto_metric *other = registry.metrics; other != &m; ++other) {
        is_taken |= is_of(*other, m.fingerprint);
        for (uint32_t i = 0; i < m.forward_count; ++i) {
            is_taken |= is_of(*other, m.forward_fingerprint[i]);
        }
    }
    return is_taken;
}

bool is_padding(uint32_t step) {
    return step <= SOTTO_PADDING_BYTES_MAX && (step & (step - 1)) == 0 && (step == 0 || step >= 8);
}

// Keys that nothing is sealed with would let batches leave in the clear.
bool is_sealing(const sotto_sealing *sealing) {
    return sealing == nullptr ||
           (sealing->keys != nullptr && sealing->key_count > 0 && sealing->seal != nullptr);
}

} // namespace

bool is_of(const sotto_metric &metric, uint32_t fingerprint) {
    bool found = fingerprint == metric.fingerprint;
    for (uint32_t i = 0; i < metric.forward_count; ++i) {
        found |= fingerprint == metric.forward_fingerprint[i];
    }
    return found;
}

sotto_status check_registry(const sotto_registry &registry, memory_need &need) {
    if (registry.metrics == nullptr || registry.metric_count == 0 || registry.max_epoch_jump == 0 ||
        !is_padding(registry.padding_bytes) ||
        !is_budget(registry.budget, registry.window_epochs) || !is_sealing(registry.sealing)) {
        return SOTTO_ERR_REGISTRY;
    }
    uint16_t previous_id = 0;
    need.account_words = device::account_words(registry, nullptr);
    for (uint16_t i = 0; i < registry.metric_count; ++i) {
        const sotto_metric &m = registry.metrics[i];
        if (m.id <= previous_id || m.level_count == 0 ||
            m.level_count + m.forward_count > level_count_max || !is_table(m) || !is_forward(m) ||
            m.random_bytes < random_bytes_of(m) || m.random_bytes > 1024 ||
            is_fingerprint_taken(registry, m) || !is_spending(m, registry)) {
            return SOTTO_ERR_REGISTRY;
        }
        previous_id = m.id;
        need.words = m.value_words > need.words ? m.value_words : need.words;
        need.random_bytes = m.random_bytes > need.random_bytes ? m.random_bytes : need.random_bytes;
        need.account_words += device::account_words(registry, &m);
    }
    return SOTTO_OK;
}

} // namespace sotto
