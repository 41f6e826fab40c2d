// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TEXT_JOINT_TEXT_HPP
#define SOTTO_AGGREGATOR_TEXT_JOINT_TEXT_HPP

#include "aggregator/base/columns.hpp"
#include "aggregator/text/joint_rows.hpp"

#include <string>

namespace sotto::aggregator {

// The largest cells first, at most 40, for people; names are shortened where they must be.
std::string joint_text(const joint_table &table, std::size_t width = any_width);
} // namespace sotto::aggregator
#endif
