// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/candidates.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/text.hpp"

#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

constexpr std::size_t file_bytes_max = 64 << 20;

} // namespace

std::vector<std::string> read_candidates(const std::string &path) {
    const std::string text = read_whole(path, file_bytes_max);
    if (text.starts_with("\xef\xbb\xbf")) {
        throw usage_error(path + ": starts with a byte order mark; save it without one");
    }
    std::vector<std::string> lines;
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
        lines.push_back(std::move(line));
    }
    if (lines.empty()) {
        throw usage_error(path + ": no candidates; a line is one");
    }
    return lines;
}

} // namespace sotto::aggregator
