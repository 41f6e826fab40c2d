// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PAGE_PAGE_HPP
#define SOTTO_AGGREGATOR_PAGE_PAGE_HPP

#include "aggregator/estimate/estimate.hpp"
#include "aggregator/report/reason.hpp"

#include <optional>
#include <string>

namespace sotto::aggregator {

// One HTML file that needs nothing else: for a manager, on a phone, read aloud, printed. It is a
// function of what it is made from, so it carries no date of its own, only epochs. `rejected` is
// what the store knows of reports that were not counted; nothing where it keeps no account. `asked`
// is what the estimates are of.
std::string page_of(const estimates &found, const registry &known,
                    const std::optional<rejections> &rejected, const selection &asked = {});

} // namespace sotto::aggregator
#endif
