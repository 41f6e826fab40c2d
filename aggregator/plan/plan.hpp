// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PLAN_PLAN_HPP
#define SOTTO_AGGREGATOR_PLAN_PLAN_HPP

#include "aggregator/mechanism/plan_option.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A plan's question, asked more or less often.
struct plan_pace {
    double reports_per_day = 1; // a device's; below 1: one report in several days
    plan_option option;
    // For the mean over the rounds of a day, or the one round of several: their noise is
    // independent.
    double day_half_width = 0;
};

// An answer to a plan_request.
struct plan {
    plan_request request;
    double questions = 1; // shares that are estimated at once
    std::vector<plan_option> options;
    std::size_t best = 0; // the one to use
    // The choice at a quarter, a half and all of its epsilon. They are levels of one ladder where
    // its levels lose no more than the highest; for RAPPOR, plans of their own.
    std::vector<plan_option> levels;
    bool is_ladder = false;
    // At ever fewer reports a day within the caps, the request's first; empty where the noise of
    // several rounds is not independent.
    std::vector<plan_pace> paces;
    bool reached = true; // the request's accuracy or floor is reached
    // Otherwise it would be with this many devices, or at this epsilon a release. Nothing where no
    // number of devices, or no epsilon up to 32, does it.
    std::optional<double> devices_needed, epsilon_needed;

    // A report's instructions, but for rows of a counter or gateway: epochs and points count there.
    std::optional<std::uint32_t> instructions_of(const plan_option &option) const;
    const plan_option &chosen() const { return options[best]; }
    // How many devices this way takes for the accuracy or floor that is wanted. Without either it
    // is an accuracy of 1 %. Nothing where no number of devices does it.
    std::optional<double> devices_for(const plan_option &option) const;
    // The chosen metric for a metrics.toml.
    std::string toml() const;
};

// Errors: usage_error naming the option that is missing, out of place or out of range.
plan make_plan(const plan_request &request);

} // namespace sotto::aggregator
#endif
