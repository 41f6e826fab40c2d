// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_MODULAR_SUMS_HPP
#define SOTTO_AGGREGATOR_MECHANISM_MODULAR_SUMS_HPP

#include "aggregator/mechanism/averaged.hpp"
#include "aggregator/mechanism/memoryless.hpp"

#include "sotto/registry.h"

namespace sotto::aggregator {

// Sums modulo 2^32 over rows, each of which began as its noise: counters and points. They have one
// level, and no step above it.
class modular_sums : public memoryless<averaged_mechanism> {
  public:
    forward_table read_forward(const json_node &table, const level_law &law) const final;
    ladder_rules rules(const metric &m) const final;
    std::vector<level_law> laws(const metric &m) const final;
    // There is no step forward; a registry with one is refused before.
    level_law next_law(const metric &, const forward_table &, const level_law &last) const final {
        return last;
    }
    std::optional<double> unit_epsilon(const metric &, const level_law &law) const final {
        return unit_epsilon_of(law);
    }
    double noise_variance(const metric &, const level_law &law) const final;
    double spread(const metric &, double, const reports_again &) const final { return 0; }
    std::size_t more_random_bytes(const sotto_metric &) const final { return 0; }
    mechanism_words words(const metric &) const final { return {}; }

  protected:
    virtual const laplace_noise_table &noise_of(const metric &m) const = 0;

    // The noise of every row, in a table of one level. Errors: as json_node.
    static laplace_noise_table read_row_noise(const json_node &metric_node, std::size_t levels);
    // Errors: as json_node, when it is not one of `known`.
    static std::string read_strategy(const json_node &node, const std::vector<std::string> &known);

    // As in the device's tables.
    static sotto_laplace_noise in_flash(const laplace_noise_table &noise, device_memory &memory);
    // "out of 2^64 ...: every row: ...", a line each.
    static std::string row_noise_text(const laplace_noise_table &noise);

    // In scales of the noise: an honest number is further away once in 10^13.
    static constexpr double noise_end = 30;
    // The sum of so many numbers' noise is further from 0 so seldom, too.
    static double honest_noise(double numbers, const level_law &law);
};

// Every report has all numbers, each with the noise of one row.
class noised_numbers : public modular_sums {
  public:
    // The mean of number `at` alone.
    estimated estimate(const metric &m, std::span<const level_tally> levels,
                       std::span<const level_law> laws, std::size_t at) const final;
    double error(const metric &m, const level_law &law, const estimated &found) const final;
    double usual_variance(const metric &m, const level_law &law,
                          const reports_again &again) const final;
    double reach(const metric &, const level_law &) const final { return 0x1p32; }

  protected:
    // Each can be any of 2^32.
    static published_values any_numbers(std::size_t size);
};

} // namespace sotto::aggregator
#endif
