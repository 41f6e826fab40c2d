// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PAGE_HTML_HPP
#define SOTTO_AGGREGATOR_PAGE_HTML_HPP

#include <string>
#include <string_view>

namespace sotto::aggregator {

// As text or as a quoted attribute's value, whatever is in it; control characters as \xNN.
std::string html_text(std::string_view text);

// Text from outside as html_text has it. Marks in it that turn the direction of reading do not
// reach beyond it.
std::string html_name(std::string_view text);

// No line ends between a number and its ± or %.
std::string with_whole_numbers(std::string_view text);

// 'sha256-…', as a Content-Security-Policy names an inline style or script.
std::string csp_hash(std::string_view content);

} // namespace sotto::aggregator
#endif
