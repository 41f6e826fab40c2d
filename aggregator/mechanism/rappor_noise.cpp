// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/rappor_noise.hpp"

#include "aggregator/mechanism/rappor_loss.hpp"
#include "aggregator/statistics/rappor.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

constexpr int steps = 32;

} // namespace

bool rappor_caps::allow(const rappor_noise &n, double hashes) const {
    return rappor_loss(n.f, n.p, n.q, hashes, 1) <= release &&
           rappor_loss(n.f, n.p, n.q, hashes, reports_per_day) <= day &&
           rappor_loss_forever(n.f, hashes) <= forever;
}

rappor_caps caps_of(const plan_request &request, double epsilon) {
    return {epsilon, request.epsilon_per_day.value_or(HUGE_VAL),
            request.epsilon_lifetime.value_or(4 * epsilon), request.reports_per_day};
}

double least_permanent(double forever, double hashes) {
    const double exact = 2 / (1 + std::exp(forever / (2 * hashes)));
    const double grid = exact < 1.0 / 16 || exact > 0.75 ? 1024 : steps;
    return std::clamp(std::ceil(grid * exact - 1e-9), 1.0, grid) / grid;
}

std::optional<rappor_noise>
best_rappor_noise(const rappor_caps &caps, double hashes,
                  const std::function<double(const bit_channel &)> &error) {
    std::optional<rappor_noise> best;
    double least = 0;
    const auto try_all = [&](double f) {
        for (int p = 0; p < steps && f < 1; ++p) {
            for (int q = p + 1; q <= steps; ++q) {
                const rappor_noise n = {f, p / static_cast<double>(steps),
                                        q / static_cast<double>(steps)};
                const bool is_noise = n.p > 0 || n.q < 1;
                if (is_noise && caps.allow(n, hashes)) {
                    const double here = error(rappor_channel(n.f, n.p, n.q));
                    if (!best || here < least) {
                        best = n;
                        least = here;
                    }
                }
            }
        }
    };
    try_all(least_permanent(caps.forever, hashes));
    if (caps.day < caps.forever) {
        try_all(least_permanent(caps.day, hashes));
    }
    return best;
}

void set_costs(plan_option &option, const rappor_noise &n, double hashes, double reports_per_day) {
    option.epsilon = rappor_loss(n.f, n.p, n.q, hashes, 1);
    option.epsilon_day = rappor_loss(n.f, n.p, n.q, hashes, reports_per_day);
    option.epsilon_forever = rappor_loss_forever(n.f, hashes);
}

std::uint32_t rappor_random_bytes(std::uint32_t bits, const rappor_noise &n) {
    return channel_random_bytes(bits, {n.f / 2, 1 - n.f / 2}) +
           channel_random_bytes(bits, {n.p, n.q});
}

} // namespace sotto::aggregator
