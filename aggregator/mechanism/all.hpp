// SPDX-License-Identifier: Apache-2.0
// Every mechanism there is: a function each, in a file of its own. all.cpp lists them.
#ifndef SOTTO_AGGREGATOR_MECHANISM_ALL_HPP
#define SOTTO_AGGREGATOR_MECHANISM_ALL_HPP

#include "aggregator/mechanism/mechanism.hpp"

namespace sotto::aggregator {

// One object each, for as long as the program runs; known_mechanisms() lists them by type.
const mechanism &randomized_response();
const mechanism &laplace_threshold();
const mechanism &k_randomized_response();
const mechanism &optimized_unary();
const mechanism &symmetric_unary();
const mechanism &rappor();
const mechanism &basic_rappor();
const mechanism &discrete_laplace();
const mechanism &one_bit_mean();

} // namespace sotto::aggregator
#endif
