// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_CHECK_HPP
#define SOTTO_AGGREGATOR_REPORT_CHECK_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/decode.hpp"

namespace sotto::aggregator {

// The report's metric when the report is one that this registry admits, else why not.
std::variant<const metric *, reason> check_report(const report &r, const registry &with);

} // namespace sotto::aggregator
#endif
