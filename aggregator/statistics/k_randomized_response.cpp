// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/k_randomized_response.hpp"

namespace sotto::aggregator {

bit_channel k_randomized_response_channel(double keep, std::uint32_t size) {
    const double other = (1 - keep) / size;
    return {other, keep + other};
}

double k_randomized_response_covariance(double reports, double a, double b,
                                        const bit_channel &channel) {
    const double if_zero = channel.one_if_zero, if_one = channel.one_if_one;
    const double gain = if_one - if_zero;
    return -((a + b) * if_one * if_zero + (reports - a - b) * if_zero * if_zero) / (gain * gain);
}

} // namespace sotto::aggregator
