// SPDX-License-Identifier: Apache-2.0
#include "client/registry_check.hpp"

#include "random/bernoulli.hpp"

namespace sotto {
namespace {

// No registry may ask for more than epsilon 32: ceil(2^64 / (1 + e^32)).
constexpr uint32_t top_flip_min = 233613;

// A flip of zero, or above one half, is no randomized response.
bool is_flip(const sotto_threshold &threshold) {
    return (threshold.limb[0] | threshold.limb[1]) != 0 && threshold.limb[1] < 0x80000000u;
}

bool is_randomized_response(const sotto_metric &metric) {
    if (metric.type != SOTTO_TYPE_BOOLEAN ||
        metric.mechanism != SOTTO_MECHANISM_RANDOMIZED_RESPONSE || metric.level_count == 0 ||
        metric.level_count > level_count_max ||
        metric.random_bytes != bernoulli_bytes * metric.level_count ||
        metric.table.randomized_response == nullptr ||
        metric.table.randomized_response->flip == nullptr) {
        return false;
    }
    for (uint8_t i = 0; i < metric.level_count; ++i) {
        if (!is_flip(metric.table.randomized_response->flip[i])) {
            return false;
        }
    }
    const sotto_threshold &top = metric.table.randomized_response->flip[metric.level_count - 1];
    return top.limb[1] != 0 || top.limb[0] >= top_flip_min;
}

} // namespace

sotto_status check_registry(const sotto_registry &registry) {
    if (registry.metrics == nullptr || registry.metric_count == 0) {
        return SOTTO_ERR_REGISTRY;
    }
    uint16_t previous_id = 0;
    for (uint16_t i = 0; i < registry.metric_count; ++i) {
        const sotto_metric &metric = registry.metrics[i];
        if (metric.id <= previous_id || !is_randomized_response(metric)) {
            return SOTTO_ERR_REGISTRY;
        }
        previous_id = metric.id;
    }
    return SOTTO_OK;
}

} // namespace sotto
