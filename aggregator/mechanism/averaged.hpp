// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_AVERAGED_HPP
#define SOTTO_AGGREGATOR_MECHANISM_AVERAGED_HPP

#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>

namespace sotto::aggregator {

// Numbers have a mean: no report answers yes or no, and none is selected by.
class averaged_mechanism : public mechanism {
  public:
    std::optional<double> keep(const metric &, const level_law &) const final {
        return std::nullopt;
    }
    std::optional<bit_channel> channel(const metric &, const level_law &) const final {
        return std::nullopt;
    }

  protected:
    // The most that values of this mean can vary.
    double variance_at_most(const metric &m, double mean) const {
        const number_range values = *range(m);
        return (values.max - mean) * (mean - values.min);
    }
};

// One number of each law.
inline std::vector<double> by_level(std::span<const level_law> laws,
                                    double (*number)(const level_law &)) {
    std::vector<double> numbers(laws.size());
    std::transform(laws.begin(), laws.end(), numbers.begin(), number);
    return numbers;
}

} // namespace sotto::aggregator
#endif
