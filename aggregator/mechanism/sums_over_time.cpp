// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/sums_over_time.hpp"

#include <limits>

namespace sotto::aggregator {

std::uint64_t row_class::total_by(std::uint32_t age) const {
    std::uint64_t sum = 0;
    for (std::uint64_t left = 0; left < span() && left <= age; left += step) {
        sum += weights.empty() ? 1 : weights[left];
    }
    return sum;
}

std::uint64_t row_class::total() const {
    return total_by(std::numeric_limits<std::uint32_t>::max());
}

std::size_t sums_over_time::closing(std::uint32_t epoch) const {
    std::size_t count = 0;
    while (count < classes.size() && (std::uint64_t{epoch} + 1) % classes[count].step == 0) {
        ++count;
    }
    return count;
}

std::uint64_t sums_over_time::total_by(std::uint32_t age) const {
    std::uint64_t sum = 0;
    for (const row_class &kind : classes) {
        sum += kind.total_by(age);
    }
    return sum;
}

std::uint64_t sums_over_time::total() const {
    return total_by(std::numeric_limits<std::uint32_t>::max());
}

} // namespace sotto::aggregator
