// SPDX-License-Identifier: Apache-2.0
// Strings: which Bloom filter, and which noise on its bits.
#include "aggregator/estimate/rappor.hpp"
#include "aggregator/plan/options.hpp"
#include "aggregator/plan/rappor_loss.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// Of all probabilities, so that a bit takes few random bits a stage: six and five. Permanent noise
// near 1, for a small epsilon, is finer.
constexpr int steps = 32, fine_steps = 1024;
constexpr double fine_above = 0.75;

struct noise {
    double f = 1, p = 0.5, q = 0.5;
};

struct caps {
    double release = 0, day = 0, forever = 0;
};

bool within(const noise &n, double hashes, double reports_per_day, const caps &most) {
    return rappor_loss(n.f, n.p, n.q, hashes, 1) <= most.release &&
           rappor_loss(n.f, n.p, n.q, hashes, reports_per_day) <= most.day &&
           rappor_loss_forever(n.f, hashes) <= most.forever;
}

// The least permanent noise that loses at most `forever`; 1 where there is none on the grid.
double permanent_for(double forever, double hashes) {
    const double exact = 2 / (1 + std::exp(forever / (2 * hashes)));
    const double grid = exact > fine_above ? fine_steps : steps;
    return std::min(1.0, std::ceil(grid * exact - 1e-9) / grid);
}

double density(const rappor_shape &s) { return 1 - std::pow(1 - 1.0 / s.bits, s.hashes); }

// Standard error of a share in the least-squares fit of rappor.hpp: a string's bits stand out of
// the others' density d by a sum of squares of bits d (1 - d), each bit has the variance of a coin
// that is one with probability P = p* + d (q* - p*) and `share` more where the string has it, and
// every candidate that is fitted takes one row.
double share_error(const bit_channel &channel, const rappor_shape &s, double candidates,
                   double devices, double share) {
    const double d = density(s), gain = channel.one_if_one - channel.one_if_zero;
    const double one = channel.one_if_zero + (d + share * (1 - d)) * gain;
    const double rows = static_cast<double>(s.bits) * s.cohorts;
    const double spread = s.bits * d * (1 - d) * (1 - (candidates + 1) / rows);
    return std::sqrt(one * (1 - one) / (gain * gain * devices * spread));
}

// Enough that 16 rows of the fit stand behind each candidate, and at least 8, so that two strings
// that share bits in one cohort don't in most others.
std::uint32_t cohorts_for(std::uint32_t bits, double candidates) {
    std::uint32_t cohorts = 8;
    while (cohorts < 1024 && static_cast<double>(bits) * cohorts < 16 * (candidates + 1)) {
        cohorts *= 2;
    }
    return cohorts;
}

// The most accurate noise that every cap allows. The permanent noise is the least that the cap on a
// lifetime allows, so that as much as possible is drawn anew for every report.
std::optional<noise> best_noise(const plan_request &request, const rappor_shape &s,
                                double candidates, const caps &most) {
    std::optional<noise> best;
    double least = 0;
    const double f = permanent_for(most.forever, s.hashes);
    if (f >= 1) {
        return best;
    }
    for (int p = 0; p < steps; ++p) {
        for (int q = p + 1; q <= steps; ++q) {
            const noise n = {f, p / static_cast<double>(steps), q / static_cast<double>(steps)};
            if (within(n, s.hashes, request.reports_per_day, most)) {
                const double error =
                    share_error(rappor_channel(n.f, n.p, n.q), s, candidates, 1, 0);
                if (!best || error < least) {
                    best = n;
                    least = error;
                }
            }
        }
    }
    return best;
}

plan_option make(const plan_request &request, const rappor_shape &s, const noise &n,
                 double candidates) {
    const bit_channel channel = rappor_channel(n.f, n.p, n.q);
    plan_option out;
    out.type = "string";
    out.mechanism = "rappor";
    out.parameters = fmt::format("{} bits, {} hash{}, {} cohorts, f {}, p {}, q {}", s.bits,
                                 s.hashes, s.hashes == 1 ? "" : "es", s.cohorts, n.f, n.p, n.q);
    out.keys = fmt::format("type = \"string\"\nbits = {}\nhashes = {}\ncohorts = {}\n"
                           "permanent = [{}]\ninstantaneous = [[{}, {}]]\n",
                           s.bits, s.hashes, s.cohorts, n.f, n.p, n.q);
    out.epsilon = rappor_loss(n.f, n.p, n.q, s.hashes, 1);
    out.epsilon_day = rappor_loss(n.f, n.p, n.q, s.hashes, request.reports_per_day);
    out.epsilon_forever = rappor_loss_forever(n.f, s.hashes);
    out.std_error = share_error(channel, s, candidates, request.devices, 1 / candidates);
    out.rare_error = share_error(channel, s, candidates, request.devices, 0);
    out.random_bytes = channel_random_bytes(s.bits, {n.f / 2, 1 - n.f / 2}) +
                       channel_random_bytes(s.bits, {n.p, n.q});
    out.report_bytes = planned_report_bytes(delimited_bytes((s.bits + 7) / 8), true);
    if (n.p == 0 && n.q == 1) {
        out.remark = "every report of a value is the same: a device is recognised by it";
    }
    return out;
}

} // namespace

std::vector<plan_option> string_options(const plan_request &request, double epsilon) {
    const double candidates = request.size.value_or(candidates_default);
    const caps most = {epsilon, request.epsilon_per_day.value_or(HUGE_VAL),
                       request.epsilon_lifetime.value_or(4 * epsilon)};
    const auto given = [](const std::optional<std::uint32_t> &one,
                          std::vector<std::uint32_t> several) {
        return one ? std::vector{*one} : several;
    };
    std::vector<plan_option> out;
    const auto add = [&](const rappor_shape &s, const std::optional<noise> &n) {
        if (n && within(*n, s.hashes, request.reports_per_day, most) &&
            static_cast<double>(s.bits) * s.cohorts > 2 * (candidates + 1)) {
            out.push_back(make(request, s, *n, candidates));
        }
    };
    for (const std::uint32_t hashes : given(request.hashes, {1, 2})) {
        for (const std::uint32_t bits : given(request.bits, {16, 32, 64, 128})) {
            const rappor_shape s = {bits, hashes,
                                    request.cohorts.value_or(cohorts_for(bits, candidates))};
            add(s, best_noise(request, s, candidates, most));
        }
    }
    if (!request.bits && !request.hashes) {
        // What the paper of RAPPOR uses, and permanent noise alone.
        add({128, 2, request.cohorts.value_or(cohorts_for(128, candidates))},
            noise{0.5, 0.5, 0.75});
        if (const double alone = permanent_for(epsilon, 1); alone < 1) {
            add({32, 1, request.cohorts.value_or(cohorts_for(32, candidates))}, noise{alone, 0, 1});
        }
    }
    return out;
}

} // namespace sotto::aggregator
