// SPDX-License-Identifier: Apache-2.0
// The same plan at less epsilon, and at another pace.
#include "aggregator/plan/check_request.hpp"
#include "aggregator/plan/options.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

// Permanent noise: reports of one value lose less and less.
bool is_permanent(const plan_option &option) { return option.epsilon_forever.has_value(); }

// The chosen mechanism at this epsilon, with the parameters of its ladder; for RAPPOR, the best
// parameters there.
std::optional<plan_option> chosen_at(const plan &made, double epsilon) {
    if (epsilon < epsilon_min) {
        return std::nullopt;
    }
    plan_request request = made.request;
    if (!is_permanent(made.chosen())) {
        request.best_epsilon = made.chosen().epsilon;
    }
    const std::vector<plan_option> options = options_at(request, epsilon);
    if (is_permanent(made.chosen())) {
        return options.empty() ? std::nullopt
                               : std::optional(options[best_of(request, options, made.questions)]);
    }
    for (const plan_option &o : options) {
        if (o.mechanism == made.chosen().mechanism) {
            return o;
        }
    }
    return std::nullopt;
}

double cut(double epsilon) { return std::stod(epsilon_text(epsilon)); }

// 24, 12, 6, 3, 1, and one report of seven days.
std::vector<double> fewer_and_fewer(double reports_per_day) {
    std::vector<double> paces;
    double r = reports_per_day;
    while (r > 1) {
        paces.push_back(r);
        r = std::floor(r / 2);
    }
    paces.push_back(1);
    paces.push_back(1.0 / 7);
    return paces;
}

} // namespace

void add_levels(plan &made) {
    made.is_ladder = !is_permanent(made.chosen());
    for (const double part : {0.25, 0.5}) {
        if (const auto option = chosen_at(made, cut(part * made.chosen().epsilon))) {
            made.levels.push_back(*option);
        }
    }
    made.levels.push_back(made.chosen());
}

void add_paces(plan &made) {
    if (is_permanent(made.chosen())) { // permanent noise is the same in every round
        return;
    }
    for (const double reports : fewer_and_fewer(made.request.reports_per_day)) {
        double epsilon = std::min(made.request.epsilon.value_or(epsilon_max), epsilon_max);
        if (made.request.epsilon_per_day) {
            epsilon = std::min(epsilon, *made.request.epsilon_per_day / reports);
        }
        plan_request request = made.request;
        request.reports_per_day = reports;
        const std::vector<plan_option> options = options_at(request, cut(epsilon));
        if (!options.empty()) {
            const plan_option &best = options[best_of(request, options, made.questions)];
            const double rounds = std::max(reports, 1.0);
            made.paces.push_back({reports, best, best.half_width() / std::sqrt(rounds)});
        }
    }
}

} // namespace sotto::aggregator
