// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/html.hpp"

#include <array>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <utility>

namespace sotto::aggregator {

std::string html_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '"') {
            out += "&quot;";
        } else if (c == '\'') {
            out += "&#39;";
        } else if (byte < 0x20 || byte == 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

std::string html_name(std::string_view text) { return "<bdi>" + html_text(text) + "</bdi>"; }

std::string with_whole_numbers(std::string_view text) {
    std::string out(text);
    for (const auto &[apart, together] : {std::pair("± ", "±\u00a0"), std::pair(" %", "\u00a0%")}) {
        for (std::size_t at = out.find(apart); at != std::string::npos; at = out.find(apart, at)) {
            out.replace(at, std::string_view(apart).size(), together);
        }
    }
    return out;
}

std::string csp_hash(std::string_view content) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest = {};
    SHA256(reinterpret_cast<const unsigned char *>(content.data()), content.size(), digest.data());
    std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> base64 = {};
    EVP_EncodeBlock(base64.data(), digest.data(), SHA256_DIGEST_LENGTH);
    return fmt::format("'sha256-{}'", reinterpret_cast<const char *>(base64.data()));
}

} // namespace sotto::aggregator
