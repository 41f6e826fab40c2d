// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_SEED_HPP
#define SOTTO_AGGREGATOR_BASE_SEED_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// 1 to 32 bytes that the noise follows from.
using seed_bytes = std::vector<std::uint8_t>;

// The value of --seed; nothing when it was not given. Says on standard error that the output is not
// private. Errors: usage_error.
std::optional<seed_bytes> read_seed(const std::string &hex_text);

} // namespace sotto::aggregator
#endif
