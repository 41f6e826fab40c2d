// SPDX-License-Identifier: Apache-2.0
// Discrete Laplace noise in a table: that of numbers, and of the lattice behind a thresholded bit.
#ifndef SOTTO_AGGREGATOR_MECHANISM_LATTICE_HPP
#define SOTTO_AGGREGATOR_MECHANISM_LATTICE_HPP

#include "aggregator/mechanism/json_node.hpp"
#include "aggregator/mechanism/metric.hpp"

#include <optional>

namespace sotto::aggregator {

// A number certified by a bound, or recovered from rounded digits, may differ by this much.
inline constexpr double lattice_tolerance = 1e-5;
inline constexpr std::int32_t number_max = 1 << 30; // a true number's end, at most
inline constexpr std::uint32_t digits_max = 29;     // a geometric number's, at most

// Errors: as json_node.
geometric_table read_geometric(const json_node &node);
laplace_noise_table read_noise(const json_node &node);
discrete_laplace_table read_lattice(const json_node &table, std::size_t levels);
// Refuses noise that is not that of one law (laplace_law.hpp), and `length` other than 1 unless it
// is a vector's.
void check_lattice(const json_node &table, const discrete_laplace_table &t, bool is_vector);

// Digits are counted as sotto-registry counts those of a geometric number, so that a cut weighs
// little beside epsilon. No digits when digits_max keep no promise: 2^B unit >= width unit + tail,
// and width + 2 2^B below 2^31. `terms` numbers can differ, by `sensitivity` in all.
std::optional<std::uint32_t> digits_needed(double unit_epsilon, double width, double sensitivity,
                                           double terms);
// Whether there is noise, its sign, its digits.
std::uint32_t lattice_random_bytes(std::uint32_t digit_count);

// For people, and as in metrics.json.
std::string noise_text(const laplace_noise_table &noise, const std::string &source);
nlohmann::ordered_json noise_json(const laplace_noise_table &noise);
std::string lattice_text(const discrete_laplace_table &t);
nlohmann::ordered_json lattice_json(const discrete_laplace_table &t);

} // namespace sotto::aggregator
#endif
