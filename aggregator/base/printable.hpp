// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_PRINTABLE_HPP
#define SOTTO_AGGREGATOR_BASE_PRINTABLE_HPP

#include <string>
#include <string_view>

namespace sotto::aggregator {

// Control characters become \xNN: those of ASCII, those above it in UTF-8, and what ends a line or
// turns its direction. A file name can't speak to the terminal, and a line stays one.
std::string printable(std::string_view text);

} // namespace sotto::aggregator
#endif
