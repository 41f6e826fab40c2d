// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/text.hpp"

#include "aggregator/base/printable.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string counted(std::uint64_t number, std::string_view singular) {
    return counted(number, singular, std::string(singular) + "s");
}

std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural) {
    return fmt::format("{} {}", grouped(number), number == 1 ? singular : plural);
}

std::string bytes_text(std::uint64_t bytes) {
    if (bytes < 1000) {
        return fmt::format("{} B", bytes);
    }
    static constexpr std::array units = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double scaled = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    while (scaled >= 999.5 && unit + 1 < units.size()) {
        scaled /= 1000;
        ++unit;
    }
    return scaled < 9.95 ? fmt::format("{:.1f} {}", scaled, units[unit])
                         : fmt::format("{:.0f} {}", scaled, units[unit]);
}

std::string seconds_text(double seconds) {
    if (seconds < 9.95) {
        return fmt::format("{:.1f} s", seconds);
    }
    if (seconds < 119.5) {
        return fmt::format("{:.0f} s", seconds);
    }
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    return fmt::format("{} min {} s", grouped(whole / 60), whole % 60);
}

std::string hex(std::span<const std::uint8_t> bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::uint8_t byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text) {
    std::vector<std::uint8_t> bytes;
    if (text.size() % 2 != 0) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < text.size(); i += 2) {
        std::uint8_t byte = 0;
        const char *end = text.data() + i + 2;
        const auto read = std::from_chars(text.data() + i, end, byte, 16);
        if (read.ec != std::errc() || read.ptr != end) {
            return std::nullopt;
        }
        bytes.push_back(byte);
    }
    return bytes;
}

std::string fingerprint_text(std::uint32_t fingerprint) {
    return fmt::format("{:08x}", fingerprint);
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::string joined(const std::vector<std::string> &items) {
    return fmt::format("{}", fmt::join(items, ", "));
}

std::vector<std::array<std::uint32_t, 2>> runs_of(const std::set<std::uint32_t> &numbers) {
    std::vector<std::array<std::uint32_t, 2>> runs;
    for (const std::uint32_t number : numbers) {
        if (!runs.empty() && runs.back()[1] + 1 == number) {
            runs.back()[1] = number;
        } else if (runs.size() < runs_shown) {
            runs.push_back({number, number});
        } else {
            break;
        }
    }
    return runs;
}

std::string in_runs(std::string_view singular, const std::set<std::uint32_t> &numbers) {
    std::vector<std::string> texts;
    const auto runs = runs_of(numbers);
    for (const auto &[first, last] : runs) {
        texts.push_back(first == last ? std::to_string(first)
                                      : fmt::format("{} to {}", first, last));
    }
    if (!runs.empty() && runs.back()[1] != *numbers.rbegin()) {
        texts.emplace_back("...");
    }
    return fmt::format("{}{} {}", singular, numbers.size() == 1 ? "" : "s", joined(texts));
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t most = 60;
    return '"' + printable(text.substr(0, most)) + (text.size() > most ? "...\"" : "\"");
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    return out + '"';
}

bool is_utf8(std::string_view text) {
    // The least that a sequence of so many bytes may stand for: nothing shorter, no surrogates.
    static constexpr std::array<std::uint32_t, 4> least = {0, 0x80, 0x800, 0x10000};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto first = static_cast<unsigned char>(text[i]);
        const std::size_t more = first < 0x80             ? 0
                                 : (first & 0xe0) == 0xc0 ? 1
                                 : (first & 0xf0) == 0xe0 ? 2
                                 : (first & 0xf8) == 0xf0 ? 3
                                                          : 4;
        if (more == 4 || text.size() - i <= more) {
            return false;
        }
        std::uint32_t point = more == 0 ? first : first & (0x3fu >> more);
        for (std::size_t k = 0; k < more; ++k) {
            const auto next = static_cast<unsigned char>(text[++i]);
            if ((next & 0xc0) != 0x80) {
                return false;
            }
            point = point << 6 | (next & 0x3f);
        }
        if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
            return false;
        }
    }
    return true;
}

} // namespace sotto::aggregator
