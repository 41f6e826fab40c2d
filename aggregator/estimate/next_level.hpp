// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_NEXT_LEVEL_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_NEXT_LEVEL_HPP

#include "aggregator/estimate/estimated.hpp"
#include "aggregator/registry/registry.hpp"

#include <optional>

namespace sotto::aggregator {

// The standard error of as many releases published at `level`, were the truth what was found here.
// Nothing for strings, whose error depends on all the others. A number is taken to be the same on
// every device.
std::optional<double> std_error_at(const metric &m, std::size_t level, const estimated &found);

} // namespace sotto::aggregator
#endif
