// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_PRINTABLE_HPP
#define SOTTO_AGGREGATOR_BASE_PRINTABLE_HPP

#include <string>
#include <string_view>

namespace sotto::aggregator {

// Control characters, those above ASCII in UTF-8 as well, and what ends a line or turns its
// direction as \xNN: a file name can't speak to the terminal, a line stays one and reads as it is.
std::string printable(std::string_view text);

} // namespace sotto::aggregator
#endif
