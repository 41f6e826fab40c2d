// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_MEMORYLESS_HPP
#define SOTTO_AGGREGATOR_MECHANISM_MEMORYLESS_HPP

#include "aggregator/mechanism/mechanism.hpp"

namespace sotto::aggregator {

// A device remembers no value, and no value is a string: all mechanisms but RAPPOR.
template <typename Estimated> class memoryless : public Estimated {
  public:
    bool forward_needs_value(const metric &) const final { return true; }
    std::optional<std::uint16_t> remembered(const metric &) const final { return std::nullopt; }
    const bloom_shape *strings(const metric &) const final { return nullptr; }
    const difference_set *supports(const metric &) const override { return nullptr; }
    double permanent_flip(const metric &, const level_law &) const final { return 0; }
    std::optional<double> unit_epsilon(const metric &, const level_law &) const override {
        return std::nullopt;
    }
    double noise_variance(const metric &, const level_law &) const override { return 0; }
    std::optional<point_moves> moves(const metric &) const override { return std::nullopt; }
    const sums_over_time *over_time(const metric &) const override { return nullptr; }
    const sums_over_places *over_places(const metric &) const override { return nullptr; }
    const binned_numbers *bins(const metric &) const override { return nullptr; }
    distribution_fit fit(const metric &, std::span<const level_tally>,
                         std::span<const double>) const override {
        return {};
    }
};

} // namespace sotto::aggregator
#endif
