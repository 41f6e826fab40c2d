// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/sums_over_time.hpp"

#include "aggregator/mechanism/totals_apart.hpp"

#include <limits>
#include <numeric>

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

std::uint64_t row_class::of_units() const {
    return weights.empty() ? span()
                           : std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
}

std::size_t sums_over_time::closing(std::uint32_t epoch) const {
    if (is_running_total()) {
        return 1;
    }
    std::size_t count = 0;
    while (count < classes.size() && (std::uint64_t{epoch} + 1) % classes[count].step == 0) {
        ++count;
    }
    return count;
}

// The strategies are told apart by their first row: of an epoch, or of the block.
std::uint32_t sums_over_time::noises(std::uint32_t epoch) const {
    if (!is_running_total()) {
        return 1;
    }
    return classes.front().step == 1 ? rows_apart(0, epoch % block + 1, base())
                                     : static_cast<std::uint32_t>(classes.size());
}

// The numbers of so many digits but 0 are those of the block, and as many below 0.
double sums_over_time::usual_noises() const {
    if (!is_running_total() || classes.front().step != 1) {
        return noises(0);
    }
    const double k = base(), of_a_digit = (k * k - 1) / (4 * k), numbers = 2.0 * block + 1;
    return static_cast<double>(classes.size()) * of_a_digit * numbers / (numbers - 1);
}

double sums_over_time::of_units(std::size_t at, std::uint32_t epoch, double units) const {
    return units *
           (is_running_total() ? epoch % block + 1.0 : static_cast<double>(classes[at].of_units()));
}

std::uint64_t sums_over_time::total_by(std::uint32_t age) const {
    if (is_running_total()) {
        return classes.size();
    }
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
