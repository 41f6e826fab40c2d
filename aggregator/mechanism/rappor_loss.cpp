// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/rappor_loss.hpp"

#include <cmath>

namespace sotto::aggregator {
namespace {

// Of one bit with the likelihood ratio 1 / small between its two permanent states.
double bit_loss(double f, double small) {
    return std::log(((1 - f / 2) + f / 2 * small) / (f / 2 + (1 - f / 2) * small));
}

} // namespace

double rappor_loss(double f, double p, double q, double pairs, double reports) {
    return pairs * (bit_loss(f, std::pow(p / q, reports)) +
                    bit_loss(f, std::pow((1 - q) / (1 - p), reports)));
}

double rappor_loss_forever(double f, double pairs) { return 2 * pairs * std::log((2 - f) / f); }

} // namespace sotto::aggregator
