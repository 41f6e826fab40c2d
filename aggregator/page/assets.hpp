// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PAGE_ASSETS_HPP
#define SOTTO_AGGREGATOR_PAGE_ASSETS_HPP

#include <string_view>

namespace sotto::aggregator {

// Every page carries these. They are built in: a program that is copied elsewhere makes the same
// pages.
extern const std::string_view page_style;
extern const std::string_view page_find;          // the page's own script: search, print
extern const std::string_view page_chart_library; // Chart.js; empty when it was not there
extern const std::string_view page_charts;        // the script that calls Chart.js

} // namespace sotto::aggregator
#endif
