// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/shuffled.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sotto::aggregator {
namespace {

constexpr double left_out = 1e-30;     // the clones' law has less beyond its ends
constexpr double rounding = 1 + 1e-6;  // a million terms, each within 1e-13
constexpr double lgamma_error = 1e-15; // each of three is so near
constexpr std::uint64_t blocks_max = 128;
constexpr int halvings = 24;

// So many clones at least, with this probability.
struct block {
    std::uint64_t least;
    double weight;
};

// At least the chance that `ones` of `signs` are positive.
double fair_signs(std::uint64_t signs, std::uint64_t ones) {
    const auto n = static_cast<double>(signs), a = static_cast<double>(ones);
    const double ways = std::lgamma(n + 1);
    return std::exp(ways - std::lgamma(a + 1) - std::lgamma(n - a + 1) - n * std::log(2.0) +
                    3 * lgamma_error * (ways + n));
}

// Bin(others, p) from its mode to both sides, up to a factor, as far as it is not negligible.
std::vector<double> clones(std::uint64_t others, double p, std::uint64_t &first) {
    const auto n = static_cast<double>(others);
    const auto mode = std::min(others, static_cast<std::uint64_t>((n + 1) * p));
    const double least = left_out / (n + 1) / 4;
    const auto ratio = [&](std::uint64_t k) { // k + 1 is so much likelier than k
        const auto at = static_cast<double>(k);
        return (n - at) / (at + 1) * p / (1 - p);
    };
    std::vector<double> law = {1};
    for (first = mode; first > 0 && law.back() > least; --first) {
        law.push_back(law.back() / ratio(first - 1));
    }
    std::reverse(law.begin(), law.end());
    for (std::uint64_t k = mode; k < others && law.back() > least; ++k) {
        law.push_back(law.back() * ratio(k));
    }
    return law;
}

std::vector<block> blocks_of_clones(double local, std::uint64_t devices) {
    std::uint64_t first = 0;
    const std::vector<double> law = clones(devices - 1, std::exp(-local), first);
    double sum = 0;
    for (const double weight : law) {
        sum += weight;
    }
    const std::size_t width = (law.size() + blocks_max - 1) / blocks_max;
    std::vector<block> blocks;
    for (std::size_t i = 0; i < law.size(); ++i) {
        if (i % width == 0) {
            blocks.push_back({first + i, 0});
        }
        blocks.back().weight += law[i] / sum;
    }
    return blocks;
}

double delta_of(std::uint64_t signs, double local, double central) {
    const auto t = static_cast<double>(signs);
    const double gain = std::tanh(local / 2), cut = std::tanh(central / 2);
    auto ones = static_cast<std::uint64_t>(std::min(t, std::floor(t / 2 * (1 + cut / gain))));
    double chance = fair_signs(signs, ones), sum = 0;
    for (; ones <= signs; ++ones) {
        const double left = t - static_cast<double>(ones);
        const double excess = std::max(0.0, gain * (t - 2 * left) / t - cut);
        const double ratio =
            left / static_cast<double>(ones + 1); // the next chance has it; it falls
        sum += chance * excess;
        const double later = ratio / (1 - ratio), step = 2 * gain / t;
        if (const double rest = chance * later * (excess + step / (1 - ratio));
            ratio < 1 && rest <= 1e-7 * sum) {
            return (1 + std::exp(central)) * (sum + rest);
        }
        chance *= ratio;
    }
    return (1 + std::exp(central)) * sum;
}

double delta_of(const std::vector<block> &blocks, double local, double central) {
    double sum = 0;
    for (const block &b : blocks) {
        sum += b.weight * delta_of(b.least + 1, local, central);
    }
    return sum * rounding + left_out;
}

} // namespace

double shuffled_delta(double local, double central, std::uint64_t devices) {
    return central >= local ? 0 : delta_of(blocks_of_clones(local, devices), local, central);
}

double shuffled_epsilon(double local, std::uint64_t devices, double delta) {
    const std::vector<block> blocks = blocks_of_clones(local, devices);
    double low = 0, high = local;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        (delta_of(blocks, local, middle) <= delta ? high : low) = middle;
    }
    return high;
}

} // namespace sotto::aggregator
