// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TIGHTEN_NOISE_KEY_HPP
#define SOTTO_AGGREGATOR_TIGHTEN_NOISE_KEY_HPP

#include "aggregator/base/seed.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace sotto::aggregator {

// The noise of sotto tighten follows from this key, so that it is the same whenever it is asked
// again.
using noise_key = std::array<std::uint8_t, 32>;

// A key, and whether it still has to be kept.
struct kept_noise_key {
    noise_key key;
    bool is_new; // not in the file yet
};

// The key in a file, or a new one where there is no file. Errors: usage_error when the file has no
// such key, or when others than its owner may read or write it; environment_error.
kept_noise_key read_or_draw_noise_key(const std::string &path);

// Writes a new key, 0600, whole or not at all, and says so on standard error. Errors:
// environment_error, also when another run was first.
void keep_noise_key(const std::string &path, const noise_key &key);

// A key that follows from a seed, for tests.
noise_key noise_key_of(const seed_bytes &seed);

} // namespace sotto::aggregator
#endif
