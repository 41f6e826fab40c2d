// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_CANDIDATES_HPP
#define SOTTO_AGGREGATOR_PROGRAM_CANDIDATES_HPP

#include <string>
#include <vector>

namespace sotto::aggregator {

// The lines of a file, each a string to look for, blanks and all. A line end is LF or CRLF, and the
// last line may do without. Errors: usage_error "path: line N: what" where a line is empty, not
// UTF-8 or stands twice, where a byte order mark comes first, or when there is none; see
// fail_input.
std::vector<std::string> read_candidates(const std::string &path);

} // namespace sotto::aggregator
#endif
