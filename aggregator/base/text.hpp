// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_TEXT_HPP
#define SOTTO_AGGREGATOR_BASE_TEXT_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// 1204311 -> "1,204,311".
std::string grouped(std::uint64_t number);
// "1 report", "2 reports", "1,204,311 reports".
std::string counted(std::uint64_t number, std::string_view singular);
// A count of what has a plural of its own: "1 entry", "2 entries".
std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural);
// "640 B", "640 kB", "1.3 MB": powers of 1000.
std::string bytes_text(std::uint64_t bytes);
// "0.1 s", "41 s", "3 min 20 s".
std::string seconds_text(double seconds);

// Lower case.
std::string hex(std::span<const std::uint8_t> bytes);
// Either case, an even number of digits; nothing when it is not that.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);
// Eight lower-case digits, as a fingerprint is written.
std::string fingerprint_text(std::uint32_t fingerprint);

// "a|b||c" -> "a", "b", "", "c".
std::vector<std::string> split(std::string_view text, char separator);

// "a, b, c".
std::string joined(const std::vector<std::string> &items);

// Numbers that follow each other, as {first, last}: the first 8 runs, as anybody can send very
// many.
inline constexpr std::size_t runs_shown = 8;
std::vector<std::array<std::uint32_t, 2>> runs_of(const std::set<std::uint32_t> &numbers);
// "level 3", "epochs 0 to 5, 9"; with more runs than are shown "epochs 0 to 5, 9, ...".
std::string in_runs(std::string_view singular, const std::set<std::uint32_t> &numbers);

// Printable on one line whatever is in it (printable.hpp): quoted, cut after 60 bytes.
std::string in_quotes(std::string_view text);

// A field of a CSV file, in quotes where it needs them.
std::string csv_field(std::string_view text);
bool is_utf8(std::string_view text);

} // namespace sotto::aggregator
#endif
