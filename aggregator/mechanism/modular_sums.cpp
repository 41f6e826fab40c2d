// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/modular_sums.hpp"

#include "aggregator/statistics/discrete_laplace.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/laplace_law.hpp"
#include "aggregator/mechanism/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace sotto::aggregator {

forward_table modular_sums::read_forward(const json_node &table, const level_law &) const {
    table.fail("not possible with noised sums");
}

ladder_rules modular_sums::rules(const metric &) const {
    return {.tolerance = lattice_tolerance, .has_forward = false};
}

std::vector<level_law> modular_sums::laws(const metric &m) const {
    const double unit = epsilon_of(noise_of(m).size);
    return {number_law{unit, laplace_nonzero(unit)}};
}

laplace_noise_table modular_sums::read_row_noise(const json_node &metric_node, std::size_t levels) {
    const json_node noise = metric_node.at("table").at("noise");
    laplace_noise_table read = read_noise(noise.elements(1, 1).front());
    if (const std::string what = modular_flaw(read); !what.empty()) {
        noise.fail(what);
    }
    if (levels != 1) {
        metric_node.at("levels").fail("noised sums have one level");
    }
    return read;
}

std::string modular_sums::read_strategy(const json_node &node,
                                        const std::vector<std::string> &known) {
    const std::string &name = node.string();
    if (std::ranges::find(known, name) == known.end()) {
        node.fail(fmt::format("{} is not known; known: {}", in_quotes(name), joined(known)));
    }
    return name;
}

sotto_laplace_noise modular_sums::in_flash(const laplace_noise_table &noise,
                                           device_memory &memory) {
    return {limbs(noise.nonzero), memory.geometric(noise.size)};
}

std::string modular_sums::row_noise_text(const laplace_noise_table &noise) {
    return fmt::format("out of 2^64 (--format json has all digits):\n    every row: {}\n",
                       noise_text(noise, "0"));
}

double modular_sums::noise_variance(const metric &, const level_law &law) const {
    return discrete_laplace_variance(unit_epsilon_of(law));
}

double modular_sums::honest_noise(double numbers, const level_law &law) {
    return (2 * std::sqrt(noise_end * numbers) + noise_end) / unit_epsilon_of(law);
}

estimated noised_numbers::estimate(const metric &m, std::span<const level_tally> levels,
                                   std::span<const level_law> laws, std::size_t at) const {
    const number_count &number = levels.front().numbers[at];
    estimated out;
    out.reports = number.reports;
    out.value = static_cast<double>(number.sum) / static_cast<double>(number.reports);
    out.std_error = error(m, laws.front(), out);
    return out;
}

double noised_numbers::error(const metric &m, const level_law &law, const estimated &found) const {
    return std::sqrt(noise_variance(m, law) / static_cast<double>(found.reports));
}

double noised_numbers::usual_variance(const metric &m, const level_law &law,
                                      const reports_again &) const {
    return noise_variance(m, law);
}

published_values noised_numbers::any_numbers(std::size_t size) {
    return {.kind = value_kind::numbers,
            .size = static_cast<std::uint32_t>(size),
            .least = std::numeric_limits<std::int32_t>::min(),
            .most = std::numeric_limits<std::int32_t>::max()};
}

} // namespace sotto::aggregator
