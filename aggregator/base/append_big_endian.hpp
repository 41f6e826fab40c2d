// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_APPEND_BIG_ENDIAN_HPP
#define SOTTO_AGGREGATOR_BASE_APPEND_BIG_ENDIAN_HPP

#include "aggregator/base/big_endian.hpp"

#include <string>

namespace sotto::aggregator {

// Behind a text that is written to a file.
template <std::unsigned_integral T> void append_big_endian(std::string &text, T value) {
    value = swapped(value);
    text.append(reinterpret_cast<const char *>(&value), sizeof value);
}

} // namespace sotto::aggregator
#endif
