// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_K_RANDOMIZED_RESPONSE_HPP
#define SOTTO_AGGREGATOR_STATISTICS_K_RANDOMIZED_RESPONSE_HPP

#include "aggregator/statistics/bit_channel.hpp"

#include <cstdint>

namespace sotto::aggregator {

// k-ary randomized response: the category with probability `keep`, else one of all `size` at
// random. (Kairouz, Bonawitz, Ramage, Discrete Distribution Estimation under Local Privacy, ICML
// 2016.) To one category it is a bit channel with
//   beta = keep + (1 - keep) / k,   gamma = (1 - keep) / k.
// The device picks floor(64 random bits * k / 2^64). A category's chance is therefore off from 1/k
// by less than 2^-64, and an estimate by less than n 2^-64 / keep. At 10^12 reports of 65,535
// categories at epsilon 0.001 that is 4 reports beside a standard error of 3e11. It is left alone.
bit_channel k_randomized_response_channel(double keep, std::uint32_t size);

// The covariance of the estimates of two categories with the true counts a and b, at one level:
//   -[(a + b) beta gamma + (n - a - b) gamma^2] / (beta - gamma)^2
// `reports` is n, at least 1.
double k_randomized_response_covariance(double reports, double a, double b,
                                        const bit_channel &channel);

} // namespace sotto::aggregator
#endif
