// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_REGISTRY_CHECK_HPP
#define SOTTO_CLIENT_REGISTRY_CHECK_HPP

#include "sotto/registry.h"
#include "sotto/status.h"

#include <stddef.h>

namespace sotto {

inline constexpr uint8_t level_count_max = 16;
inline constexpr size_t random_bytes_max = 128;

// Refuses tables that this SDK does not know or that no compiler of ours wrote. Error: REGISTRY.
sotto_status check_registry(const sotto_registry &registry);

} // namespace sotto
#endif
