// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_JOINT_REMARKS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_JOINT_REMARKS_HPP

#include "aggregator/estimate/joint.hpp"
#include "aggregator/estimate/remark.hpp"
#include "aggregator/estimate/report_pairs.hpp"

#include <vector>

namespace sotto::aggregator {

// Remarks on the pairs that were read, and on their fit.
std::vector<remark> joint_remarks(const pairs_read &read, const joint_fit &fit);

} // namespace sotto::aggregator
#endif
