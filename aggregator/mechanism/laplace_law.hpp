// SPDX-License-Identifier: Apache-2.0
// Discrete Laplace noise, P(V = k) = (1 - q) / (1 + q) q^|k| with q = exp(-epsilon), epsilon per
// unit: what the integers of a table say of it.
#ifndef SOTTO_AGGREGATOR_MECHANISM_LAPLACE_LAW_HPP
#define SOTTO_AGGREGATOR_MECHANISM_LAPLACE_LAW_HPP

#include "aggregator/mechanism/tables.hpp"

#include <string>

namespace sotto::aggregator {

// The epsilon for which the digits are those of Geom(exp(-epsilon)).
double epsilon_of(const geometric_table &digits);

// P(V != 0).
double laplace_nonzero(double unit_epsilon);

// The largest L1 distance of two values that leave the device, clamped and clipped.
std::uint64_t l1_diameter(const discrete_laplace_table &table);

// The flaw in a ladder's noise, "" when there is none. Its digits are not those of one geometric
// law, or too few; or a level moves away from the one above it too often.
std::string flaw(const discrete_laplace_table &table);

// The flaw in noise modulo 2^32, which is uniform with probability 2^-64.
std::string modular_flaw(const laplace_noise_table &noise);

// The flaw in a step forward from a level of `last` per unit.
std::string flaw(const forward_laplace_table &step, double last);

} // namespace sotto::aggregator
#endif
