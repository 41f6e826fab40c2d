// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/printable.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// How many bytes of UTF-8 at the front are one character that is not shown as it is.
std::size_t hidden_bytes(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned char>(i < text.size() ? text[i] : 0);
    };
    if (byte(0) < 0x20 || byte(0) == 0x7f) {
        return 1;
    }
    const unsigned two = static_cast<unsigned>(byte(0)) << 8 | byte(1);
    if ((two >= 0xc280 && two < 0xc2a0) || two == 0xd89c) { // U+0080 to U+009F, U+061C
        return 2;
    }
    const unsigned three = two << 8 | byte(2);
    const bool hidden = three == 0xe2808e || three == 0xe2808f ||   // U+200E, U+200F
                        (three >= 0xe280a8 && three <= 0xe280ae) || // U+2028 to U+202E
                        (three >= 0xe281a6 && three <= 0xe281a9);   // U+2066 to U+2069
    return hidden ? 3 : 0;
}

} // namespace

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t hidden = hidden_bytes(text);
        for (const char c : text.substr(0, hidden)) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
        if (hidden == 0) {
            out += text.front();
        }
        text.remove_prefix(std::max<std::size_t>(hidden, 1));
    }
    return out;
}

} // namespace sotto::aggregator
