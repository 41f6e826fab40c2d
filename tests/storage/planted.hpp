// SPDX-License-Identifier: Apache-2.0
// Sources of ports/storage with faults: CMakeLists.txt makes them.
#ifndef PLANTED_HPP
#define PLANTED_HPP

#include "sotto/port.h"

#include <array>

struct storage_functions {
    const char *name;
    int32_t (*load)(void *, uint32_t, uint8_t *, size_t);
    sotto_status (*store)(void *, uint32_t, const uint8_t *, size_t);
};

#define PLANTED(name)                                                                              \
    int32_t name##_load(void *, uint32_t, uint8_t *, size_t);                                      \
    sotto_status name##_store(void *, uint32_t, const uint8_t *, size_t);

extern "C" {
PLANTED(erased_too_early)
PLANTED(never_sealed)
PLANTED(trusts_what_is_torn)
PLANTED(not_handed_over)
PLANTED(not_announced)
PLANTED(esp32_removes_first)
}

inline constexpr std::array<storage_functions, 5> planted_faults = {{
    {"erased_too_early", erased_too_early_load, erased_too_early_store},
    {"never_sealed", never_sealed_load, never_sealed_store},
    {"trusts_what_is_torn", trusts_what_is_torn_load, trusts_what_is_torn_store},
    {"not_handed_over", not_handed_over_load, not_handed_over_store},
    {"not_announced", not_announced_load, not_announced_store},
}};

inline constexpr storage_functions removes_first = {"removes_first", esp32_removes_first_load,
                                                    esp32_removes_first_store};

#endif
