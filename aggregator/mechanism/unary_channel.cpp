// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/unary_channel.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

// Losses rise with the epsilon of a one-hot pair, and at least as fast as it.
bit_channel for_set(bit_channel (*channel)(double), double epsilon, double size, double most) {
    double low = 0, high = 2 * epsilon; // a single bit loses at least half of the pair
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (set_loss(channel(middle), size, most) <= epsilon ? low : high) = middle;
    }
    return channel(low);
}

} // namespace

double set_loss(const bit_channel &channel, double size, double most) {
    const double loss_of_one = std::log(channel.one_if_one / channel.one_if_zero);
    const double loss_of_zero = std::log((1 - channel.one_if_zero) / (1 - channel.one_if_one));
    return size >= 2 * most ? most * (loss_of_one + loss_of_zero)
                            : most * std::max(loss_of_one, loss_of_zero) +
                                  (size - most) * std::min(loss_of_one, loss_of_zero);
}

double one_hot_loss(const bit_channel &channel) { return set_loss(channel, 2, 1); }

bit_channel symmetric_for_category(double epsilon) {
    const double loss_of_zero = 1 / (1 + std::exp(epsilon / 2));
    return {loss_of_zero, 1 - loss_of_zero};
}

bit_channel optimized_for_category(double epsilon) { return {1 / (1 + std::exp(epsilon)), 0.5}; }

bit_channel symmetric_for_set(double epsilon, double size, double most) {
    return for_set(symmetric_for_category, epsilon, size, most);
}

bit_channel optimized_for_set(double epsilon, double size, double most) {
    return for_set(optimized_for_category, epsilon, size, most);
}

} // namespace sotto::aggregator
