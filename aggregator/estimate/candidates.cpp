// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/candidates.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

constexpr std::size_t file_bytes_max = 64 << 20;
constexpr std::size_t candidates_max = 1'000'000; // some 700 MB of memory at 32 cohorts

// A device may well send such strings; a text that was typed seldom has them.
std::optional<candidates_with_blanks> find_blanks(const std::string &path,
                                                  const std::vector<std::string> &lines) {
    const auto first = std::ranges::find_if(lines, has_blanks_around);
    if (first == lines.end()) {
        return std::nullopt;
    }
    return candidates_with_blanks{
        path, *first, static_cast<std::uint64_t>(first - lines.begin() + 1),
        static_cast<std::uint64_t>(std::count_if(first, lines.end(), has_blanks_around) - 1)};
}

// Where most lines have one.
std::optional<candidates_with_commas> find_commas(const std::string &path,
                                                  const std::vector<std::string> &lines) {
    const auto with = static_cast<std::size_t>(std::ranges::count_if(
        lines, [](const std::string &line) { return line.find(',') != std::string::npos; }));
    return 2 * with > lines.size() ? std::optional(candidates_with_commas{path, with, lines.size()})
                                   : std::nullopt;
}

} // namespace

candidate_list read_candidates(const std::string &path) {
    const std::string text = read_whole(path, file_bytes_max);
    if (text.starts_with("\xef\xbb\xbf")) {
        throw usage_error(path + ": starts with a byte order mark; save it without one");
    }
    candidate_list out;
    std::vector<std::string> &lines = out.strings;
    std::set<std::string> seen;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        at = end + 1;
        if (line.ends_with('\r')) {
            line.pop_back();
        }
        const auto refuse = [&](const char *what) {
            throw usage_error(
                fmt::format("{}: line {}: {} {}", path, lines.size() + 1, in_quotes(line), what));
        };
        if (line.empty()) {
            refuse("is empty; a candidate has a character at least");
        }
        if (!is_utf8(line)) {
            refuse("is not UTF-8");
        }
        if (!seen.insert(line).second) {
            refuse("stands there twice");
        }
        if (lines.size() == candidates_max) {
            throw usage_error(fmt::format("{}: more than {} candidates; name those that are likely",
                                          path, grouped(candidates_max)));
        }
        lines.push_back(std::move(line));
    }
    if (lines.empty()) {
        throw usage_error(path + ": no candidates; a line is one");
    }
    if (auto blanks = find_blanks(path, lines)) {
        out.remarks.push_back({nullptr, {}, std::move(*blanks)});
    }
    if (auto commas = find_commas(path, lines)) {
        out.remarks.push_back({nullptr, {}, std::move(*commas)});
    }
    return out;
}

bool has_blanks_around(std::string_view text) {
    constexpr std::string_view blanks = " \t\n\v\f\r";
    return !text.empty() && (blanks.find(text.front()) != std::string_view::npos ||
                             blanks.find(text.back()) != std::string_view::npos);
}

} // namespace sotto::aggregator
