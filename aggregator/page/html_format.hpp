// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PAGE_HTML_FORMAT_HPP
#define SOTTO_AGGREGATOR_PAGE_HTML_FORMAT_HPP

#include "aggregator/text/format.hpp"

namespace sotto::aggregator {

extern const output_format html_format;

} // namespace sotto::aggregator
#endif
