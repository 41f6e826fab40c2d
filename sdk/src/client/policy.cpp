// SPDX-License-Identifier: Apache-2.0
#include "client/account.hpp"

using namespace sotto;
using namespace sotto::device;

namespace {

// An epoch's charge as a digit: 0, or the highest level that it pays for, counted from 1.
uint32_t digit(const sotto_metric &metric, uint32_t charged) {
    uint32_t levels = 0;
    while (levels < metric.level_count && metric.cost[levels] <= charged) {
        ++levels;
    }
    return levels;
}

// The levels of the epochs that share a window with the present one.
uint32_t state_of(const sotto_client &client, const sotto_metric &metric) {
    const uint32_t *slots = account_of(client, metric.id).slots();
    uint32_t state = 0;
    for (uint32_t age = metric.window_epochs - 1u; age > 0; --age) {
        state = state * (metric.level_count + 1u) + digit(metric, slots[age]);
    }
    return state;
}

bool fits(const sotto_client &client, const sotto_metric &metric, uint32_t level) {
    charge attempt(client, metric, 0);
    attempt.add(0, level + 1);
    return attempt.fits();
}

} // namespace

extern "C" uint8_t sotto_start_by_policy(const sotto_client *client, const sotto_metric *metric) {
    uint8_t level = metric->policy->level[state_of(*client, *metric)];
    // Relaxations, or other metrics, may have left less than the policy counts on.
    while (level > 0 && !fits(*client, *metric, level)) {
        --level;
    }
    return level;
}
