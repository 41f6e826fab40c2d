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

// The key in a file. Where there is none, one is made, 0600, whole or not at all; of two that make
// it at once both get the same. Errors: usage_error when the file has no such key,
// environment_error.
noise_key read_or_make_noise_key(const std::string &path);

// The same for the same seed, for tests.
noise_key noise_key_of(const seed_bytes &seed);

} // namespace sotto::aggregator
#endif
