// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PAGE_SHEET_PAGE_HPP
#define SOTTO_AGGREGATOR_PAGE_SHEET_PAGE_HPP

#include "aggregator/promise/datasheet.hpp"

#include <string>

namespace sotto::aggregator {

// One HTML file that needs nothing else, without a script.
std::string sheet_page_of(const datasheet &sheet);

} // namespace sotto::aggregator
#endif
