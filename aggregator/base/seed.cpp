// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/seed.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::size_t seed_bytes_max = 32;

} // namespace

std::optional<seed_bytes> read_seed(const std::string &hex_text) {
    if (hex_text.empty()) {
        return std::nullopt;
    }
    auto seed = from_hex(hex_text);
    if (!seed || seed->size() > seed_bytes_max) {
        throw usage_error(fmt::format("--seed: {} is not 1 to {} bytes in hex", in_quotes(hex_text),
                                      seed_bytes_max));
    }
    fmt::print(stderr,
               "sotto: --seed: the noise can be predicted: what is written is NOT private\n");
    return seed;
}

} // namespace sotto::aggregator
