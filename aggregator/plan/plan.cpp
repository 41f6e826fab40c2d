// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/plan.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/plan/check_request.hpp"
#include "aggregator/plan/options.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr double window_epochs_max = 64;
constexpr double accuracy_default = 0.01;
// Options this near to the best are as good: the one with the shortest report is taken.
constexpr double as_good = 1.05;

// How much too large what can be found is for what must be; at most 1 when it is met, 0 when
// nothing must be.
double floor_excess(const plan_request &request, const plan_option &option, double questions) {
    const auto found = option.floor(questions);
    if (!request.floor || !found) {
        return 0;
    }
    return *found / (*request.floor >= 1 ? *request.floor / request.devices : *request.floor);
}

// How far an option is from all that is wanted: the floor and the accuracy.
double excess(const plan_request &request, const plan_option &option, double questions) {
    const double of_floor = floor_excess(request, option, questions);
    return request.accuracy ? std::max(of_floor, option.half_width() / *request.accuracy)
                            : of_floor;
}

// Does no fleet reach it? The noise in a count grows with the fleet.
bool is_count(const plan_request &request) { return request.floor && *request.floor >= 1; }

// A number's mean can be asked for as a number or as one bit.
bool answers(const std::string &type, const plan_request &request) {
    const auto is_one_number = [](const std::string &t) { return t == "integer" || t == "mean"; };
    return type == request.type || (is_one_number(type) && is_one_number(request.type));
}

// The lowest wins: by the error that is wanted, or else by the smallest error.
double badness(const plan_request &request, const plan_option &option, double questions) {
    const double e = excess(request, option, questions);
    return e > 0 ? e : option.std_error;
}

// The least epsilon a release at which something meets what is wanted. More of it never hurts.
std::optional<double> epsilon_for(plan_request request, double questions, double from) {
    request.epsilon_per_day.reset();
    const auto met = [&](double epsilon) {
        const auto options = options_at(request, epsilon);
        return std::any_of(options.begin(), options.end(), [&](const plan_option &o) {
            return !o.only_listed && excess(request, o, questions) <= 1;
        });
    };
    if (!met(epsilon_max)) {
        return std::nullopt;
    }
    double low = from, high = epsilon_max;
    while (high - low > 1e-4 * high) {
        const double middle = (low + high) / 2;
        (met(middle) ? high : low) = middle;
    }
    return high;
}

double epsilon_of_release(const plan_request &request) {
    double epsilon = request.epsilon.value_or(HUGE_VAL);
    // A string's reports cost less and less: their options hold them to the cap on a day.
    if (request.epsilon_per_day && request.type != "string") {
        epsilon = std::min(epsilon, *request.epsilon_per_day / request.reports_per_day);
    }
    epsilon = std::min({epsilon, request.epsilon_per_day.value_or(HUGE_VAL), epsilon_max});
    if (epsilon < epsilon_min) {
        throw usage_error(fmt::format("--epsilon-per-day: {:.4g} a release is below {}, the least "
                                      "that a registry may have; report less often",
                                      epsilon, epsilon_min));
    }
    return std::stod(epsilon_text(epsilon));
}

// A cap on a day is one that the device can keep where a day is a window of epochs.
std::string window(const plan_request &request) {
    const double epochs = request.reports_per_day;
    if (!request.epsilon_per_day || epochs != std::floor(epochs) || epochs > window_epochs_max) {
        return request.epsilon_per_day
                   ? fmt::format("# a day's cap is kept for whole reports a day, {} at most\n",
                                 window_epochs_max)
                   : "";
    }
    return fmt::format("window_epochs = {} # a day, where an epoch is a report\n"
                       "window_epsilon = {}\n",
                       epochs, epsilon_text(*request.epsilon_per_day));
}

} // namespace

std::vector<plan_option> options_at(const plan_request &request, double epsilon) {
    std::vector<plan_option> options;
    for (const known_mechanism &known : known_mechanisms()) {
        if (answers(known.type, request)) {
            for (plan_option &option : known.how->plan(request, epsilon)) {
                options.push_back(std::move(option));
            }
        }
    }
    return options;
}

std::size_t best_of(const plan_request &request, const std::vector<plan_option> &options,
                    double questions) {
    double least = HUGE_VAL;
    for (const plan_option &o : options) {
        if (!o.only_listed) {
            least = std::min(least, badness(request, o, questions));
        }
    }
    const bool can_be_met = (request.accuracy || request.floor) && least <= 1;
    const double enough = can_be_met ? std::min(1.0, as_good * least) : as_good * least;
    std::size_t best = options.size();
    for (std::size_t i = 0; i < options.size(); ++i) {
        const plan_option &o = options[i];
        const bool good = !o.only_listed && badness(request, o, questions) <= enough;
        if (good && (best == options.size() || o.report_bytes < options[best].report_bytes)) {
            best = i;
        }
    }
    return best < options.size() ? best : 0;
}

std::optional<double> plan::devices_for(const plan_option &option) const {
    plan_request wanted = request;
    if (!wanted.accuracy && !wanted.floor) {
        if (wanted.is_over_time() || wanted.is_over_places()) {
            return std::nullopt; // no share of anything
        }
        wanted.accuracy = accuracy_default;
    }
    if (is_count(wanted) && floor_excess(wanted, option, questions) > 1) {
        return std::nullopt;
    }
    const double e = excess(wanted, option, questions);
    return std::ceil(request.devices * e * e);
}

std::optional<std::uint32_t> plan::instructions_of(const plan_option &option) const {
    return request.is_over_time() || request.bins || request.cells
               ? std::nullopt
               : std::optional(option.instructions());
}

std::string plan::toml() const {
    return fmt::format("[[metric]]\nid = 1\nname = \"{}\"\n{}{}", request.name, chosen().keys,
                       window(request));
}

plan make_plan(const plan_request &request) {
    check_request(request);
    plan out;
    out.request = request;
    out.questions = request.type == "string" ? request.size.value_or(candidates_default)
                                             : request.size.value_or(request.members.value_or(1));
    const double epsilon = epsilon_of_release(request);
    out.options = options_at(request, epsilon);
    if (out.options.empty()) {
        throw usage_error(fmt::format(
            "nothing fits: {}",
            request.type == "string"
                ? "at this --epsilon and --epsilon-lifetime there is no noise for the bits of a "
                  "string, or --bits times --cohorts is less than twice --size"
            : request.type == "category"
                ? "so many categories are hashed, whose permanent noise loses more than --epsilon "
                  "and no more than --epsilon-lifetime"
            : request.cells ? "no grid of squares that a device can hold is as wide as --delta"
                            : "the range is too wide for this --epsilon; report in coarser units"));
    }
    out.best = best_of(request, out.options, out.questions);
    out.reached = excess(request, out.chosen(), out.questions) <= 1;
    if (!out.reached) {
        out.devices_needed = out.devices_for(out.chosen());
        out.epsilon_needed = epsilon_for(request, out.questions, epsilon);
    }
    // Noise modulo 2^32, and answers of points, have no ladder.
    if (!request.is_over_time() && !request.bins && !request.delta) {
        add_levels(out);
        add_paces(out);
    }
    return out;
}

} // namespace sotto::aggregator
