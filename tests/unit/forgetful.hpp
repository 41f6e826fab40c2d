// SPDX-License-Identifier: Apache-2.0
// A port whose storage keeps nothing, over a random source.
#ifndef FORGETFUL_HPP
#define FORGETFUL_HPP

#include "sotto/port.h"

inline sotto_port forgetful(const sotto_entropy &entropy) {
    sotto_port port = {};
    port.load = [](void *, uint32_t, uint8_t *, size_t) -> int32_t { return 0; };
    port.store = [](void *, uint32_t, const uint8_t *, size_t) -> sotto_status { return SOTTO_OK; };
    port.entropy = &entropy;
    return port;
}

#endif
