// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/epsilon_events.hpp"

#include "aggregator/mechanism/mechanism.hpp"

namespace sotto::aggregator {
namespace {

const sums_over_time &sums_of(const metric &m) { return *mechanism_of(m).over_time(m); }

} // namespace

std::vector<loss_by_age> losses_by_age(const metric &m) {
    const sums_over_time &sums = sums_of(m);
    std::vector<loss_by_age> losses;
    std::uint64_t last = 0;
    for (std::uint32_t age = 0; last < sums.total(); ++age) {
        const std::uint64_t now = sums.total_by(age);
        if (now > last) {
            losses.push_back({age, m.joint.value * static_cast<double>(now) /
                                       static_cast<double>(sums.total())});
        }
        last = now;
    }
    return losses;
}

} // namespace sotto::aggregator
