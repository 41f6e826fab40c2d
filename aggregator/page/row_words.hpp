// SPDX-License-Identifier: Apache-2.0
// The page's words on one row.
#ifndef SOTTO_AGGREGATOR_PAGE_ROW_WORDS_HPP
#define SOTTO_AGGREGATOR_PAGE_ROW_WORDS_HPP

#include "aggregator/text/estimate_phrases.hpp"

#include <string>
#include <vector>

namespace sotto::aggregator {

using shown_rows = std::vector<const estimate_row *>;

// The name of a row, whole and as it is: a boolean and a mean have only one.
std::string row_name(const estimate_row &r);
// A share, or a mean with its error and unit, as HTML: "31.4 % ± 0.9 %", "0.9 %, at most 1.8 %".
std::string estimate_text(const estimate_row &r);
// In the largest type, as HTML: an estimate where both ends of its interval say something.
std::string headline(const estimate_row &r);
// "314 ± 40 of 1,000 reports", as far as it is asked for.
std::string count_text(const estimate_row &r, bool with_reports);

} // namespace sotto::aggregator
#endif
