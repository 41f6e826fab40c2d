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

// Of those at this epsilon the mechanism that was chosen; of RAPPOR what is best there.
std::optional<plan_option> chosen_at(const plan &made, double epsilon) {
    if (epsilon < epsilon_min) {
        return std::nullopt;
    }
    const std::vector<plan_option> options = options_at(made.request, epsilon);
    if (is_permanent(made.chosen())) {
        return options.empty()
                   ? std::nullopt
                   : std::optional(options[best_of(made.request, options, made.questions)]);
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
    std::vector<double> all;
    double r = reports_per_day;
    while (r > 1) {
        all.push_back(r);
        r = std::floor(r / 2);
    }
    all.push_back(1);
    all.push_back(1.0 / 7);
    return all;
}

} // namespace

void add_levels(plan &to) {
    to.is_ladder = !is_permanent(to.chosen());
    for (const double part : {0.25, 0.5}) {
        if (const auto option = chosen_at(to, cut(part * to.chosen().epsilon))) {
            to.levels.push_back(*option);
        }
    }
    to.levels.push_back(to.chosen());
}

void add_paces(plan &to) {
    if (is_permanent(to.chosen())) { // permanent noise is the same in every round
        return;
    }
    for (const double reports : fewer_and_fewer(to.request.reports_per_day)) {
        double epsilon = std::min(to.request.epsilon.value_or(epsilon_max), epsilon_max);
        if (to.request.epsilon_per_day) {
            epsilon = std::min(epsilon, *to.request.epsilon_per_day / reports);
        }
        plan_request request = to.request;
        request.reports_per_day = reports;
        const std::vector<plan_option> options = options_at(request, cut(epsilon));
        if (!options.empty()) {
            const plan_option &best = options[best_of(request, options, to.questions)];
            const double rounds = std::max(reports, 1.0);
            to.paces.push_back({reports, best, best.half_width() / std::sqrt(rounds)});
        }
    }
}

} // namespace sotto::aggregator
