// SPDX-License-Identifier: Apache-2.0
#ifndef GENERATOR_HPP
#define GENERATOR_HPP

#include <cstdint>

// Histories that follow from a seed: splitmix64.
struct generator {
    uint64_t state;
    uint32_t below(uint32_t n) {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<uint32_t>(((z ^ (z >> 31)) >> 32) * n >> 32);
    }
};

#endif
