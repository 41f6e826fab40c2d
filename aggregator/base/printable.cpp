// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/printable.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

std::string printable(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        if (byte < 0x20 || byte == 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
            out += fmt::format("\\x{:02x}\\x{:02x}", byte, next);
            ++i;
        } else {
            out += text[i];
        }
    }
    return out;
}

} // namespace sotto::aggregator
