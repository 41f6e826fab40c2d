// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_REGISTRY_CHECK_HPP
#define SOTTO_CLIENT_REGISTRY_CHECK_HPP

#include "sotto/registry.h"
#include "sotto/status.h"

#include <stddef.h>

namespace sotto {

inline constexpr uint8_t level_count_max = 16;
inline constexpr uint32_t window_epochs_max = 64;
inline constexpr uint32_t cost_reports_max = 65;

// The memory that a client of a registry needs, at least.
struct memory_need {
    uint16_t words = 0;        // one release's
    uint16_t random_bytes = 0; // for one word
    uint32_t account_words = 0;
};

// Is that a definition of the metric, with all its levels or the first of them?
bool is_of(const sotto_metric &metric, uint32_t fingerprint);

// Refuses tables that this SDK does not know or that no compiler of ours wrote. Error: REGISTRY.
sotto_status check_registry(const sotto_registry &registry, memory_need &need);

} // namespace sotto
#endif
