// SPDX-License-Identifier: Apache-2.0
// Words for remarks: the only ones, on a terminal, on standard error and on the page.
#ifndef SOTTO_AGGREGATOR_TEXT_REMARK_WORDS_HPP
#define SOTTO_AGGREGATOR_TEXT_REMARK_WORDS_HPP

#include "aggregator/estimate/estimate.hpp"
#include "aggregator/estimate/remark.hpp"
#include "aggregator/mechanism/plan_option.hpp"

#include <string>
#include <vector>

namespace sotto::aggregator {

// Without the metric and the epoch that it is on.
std::string words_of(const remark_content &content);
// "damage: left out: 2 candidates longer than max_bytes (9)".
std::string line_of(const remark &r);

// A line for each remark, as remark_list has them; those on no metric stand before or after all
// others, as they came.
std::vector<std::string> remark_lines(const estimates &found);

// Words, and a name for programs.
std::string words_of(plan_remark why);
const char *kind_of(plan_remark why);

// Why reports of strings have no row; its name for programs.
std::string words_of(const unanswered &question);
const char *kind_of(no_row why);

} // namespace sotto::aggregator
#endif
