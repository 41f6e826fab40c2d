// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_LAPLACE_THRESHOLD_HPP
#define SOTTO_MECHANISM_LAPLACE_THRESHOLD_HPP

#include "mechanism/discrete_laplace.hpp"
#include "random/fixed_time.hpp"

namespace sotto {

// A bit as thresholded Laplace noise (Koufogiannis, Han, Pappas 2015, (45)-(46) with its errata) on
// a grid of D steps. The lattice number starts at 0 or D and takes the ladder of discrete Laplace
// noise. The published bit says whether it is at the threshold T or above:
//   P(1 | 0) = q^T / (1 + q),  P(0 | 1) = q^(D - T + 1) / (1 + q).
// On the unit grid, D = T = 1, this is randomized response and is done as such. Finer grids come
// near the paper's continuous noise, and relaxing them loses more than the highest level. The
// table's joint epsilon says how much.

// Where the lattice starts.
inline uint32_t lattice_start(const sotto_laplace_threshold &table, uint32_t bit) {
    return (0u - (bit & 1)) & static_cast<uint32_t>(table.lattice.max);
}
// The bit that a lattice number publishes.
inline uint32_t lattice_bit(const sotto_laplace_threshold &table, uint32_t number) {
    return ~less_signed(number, static_cast<uint32_t>(table.threshold)) & 1;
}

} // namespace sotto
#endif
