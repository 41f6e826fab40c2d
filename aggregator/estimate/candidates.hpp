// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_CANDIDATES_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_CANDIDATES_HPP

#include "aggregator/estimate/remark.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// The strings of a file, in its order.
struct candidate_list {
    std::vector<std::string> strings;
    std::vector<remark> remarks; // lines that are probably a mistake
};

// The lines of a file, each a string to look for, blanks and all. A line end is LF or CRLF, and the
// last line may do without. Errors: usage_error "path: line N: what" where a line is empty, not
// UTF-8 or stands twice, or where a byte order mark comes first. A usage_error too where there is
// no line, or more than a million. See fail_input.
candidate_list read_candidates(const std::string &path);

// White space of ASCII at an end.
bool has_blanks_around(std::string_view text);

} // namespace sotto::aggregator
#endif
