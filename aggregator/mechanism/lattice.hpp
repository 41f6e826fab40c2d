// SPDX-License-Identifier: Apache-2.0
// Discrete Laplace noise in a table: that of numbers, and of the lattice behind a thresholded bit.
#ifndef SOTTO_AGGREGATOR_MECHANISM_LATTICE_HPP
#define SOTTO_AGGREGATOR_MECHANISM_LATTICE_HPP

#include "aggregator/mechanism/json_node.hpp"
#include "aggregator/mechanism/metric.hpp"

#include "sotto/registry.h"

#include <optional>

namespace sotto::aggregator {

// A number certified by a bound, or recovered from rounded digits, may differ by this much.
inline constexpr double lattice_tolerance = 1e-5;

// A geometric number has 1 to SOTTO_DIGITS_MAX digits of 64 or 128 bits. The chance of noise is
// `nonzero`, 1 to 2^64 - 1 out of 2^64. A lattice has `levels` noises, level 0 first, 1 to
// SOTTO_COORDINATES_MAX numbers, and publish_min <= min < max <= publish_max, all from
// -SOTTO_NUMBER_MAX to SOTTO_NUMBER_MAX. Errors: as json_node.
geometric_table read_geometric(const json_node &node);
laplace_noise_table read_noise(const json_node &node);
discrete_laplace_table read_lattice(const json_node &table, std::size_t levels);
// Refuses noise that is not that of one law (laplace_law.hpp), and `length` other than 1 unless it
// is a vector's.
void check_lattice(const json_node &table, const discrete_laplace_table &t, bool is_vector);

// Binary digits, 1 to SOTTO_DIGITS_MAX, for noise of `unit_epsilon` a unit, above 0. `width` and
// `sensitivity` are in units of the number, at least 1. They are counted as sotto-registry counts
// those of a geometric number, so that a cut weighs little beside epsilon. No digits when
// SOTTO_DIGITS_MAX keep no promise: 2^B unit >= width unit + tail, and width + 2 2^B below 2^31.
// `terms` numbers can differ, by `sensitivity` in all.
std::optional<std::uint32_t> digits_needed(double unit_epsilon, double width, double sensitivity,
                                           double terms);
// Bytes for the noise of one number: 8 for whether there is any, 4 for its sign, 8 a digit.
std::uint32_t lattice_random_bytes(std::uint32_t digit_count);

// For people: noise_text() is a phrase about noise on the number that `source` names.
// lattice_text() has a line for each level, the top first, and one for the published range. And as
// in metrics.json, level 0 first. Numbers are out of 2^64 and 2^digit_bits.
std::string noise_text(const laplace_noise_table &noise, const std::string &source);
nlohmann::ordered_json noise_json(const laplace_noise_table &noise);
std::string lattice_text(const discrete_laplace_table &t);
nlohmann::ordered_json lattice_json(const discrete_laplace_table &t);

} // namespace sotto::aggregator
#endif
