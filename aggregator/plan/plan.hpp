// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PLAN_PLAN_HPP
#define SOTTO_AGGREGATOR_PLAN_PLAN_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A question: the measurement, the fleet, the price and the accuracy. Members that a type does not
// use stay empty.
struct plan_request {
    std::string type; // boolean, category, set, string, integer, vector, mean
    std::string name = "answer";
    double devices = 0;         // reports of one round: one from each
    double reports_per_day = 1; // of a device
    std::optional<double> epsilon, epsilon_per_day, epsilon_lifetime;
    std::optional<double> accuracy; // half a 95 % interval, as a share; of a mean: of its range
    std::optional<double> floor; // to be found with 90 % probability: a share below 1, or a count

    std::optional<std::uint32_t> size;                  // categories; strings to tell apart
    std::optional<std::uint32_t> members, max_members;  // of a set
    std::optional<std::int64_t> min, max;               // of a number
    std::optional<std::uint32_t> length;                // of a vector
    std::optional<std::uint32_t> l1_sensitivity;        // of a vector
    std::optional<std::uint32_t> bits, hashes, cohorts; // of a string's report
};

// One way to do it.
struct plan_option {
    std::string type, mechanism; // as in metrics.toml
    std::string parameters;      // those that were chosen, for the table
    std::string keys;            // lines of metrics.toml, without id and name
    double epsilon = 0;          // of a release
    double epsilon_day = 0;
    std::optional<double> epsilon_forever; // of one value, however often it is reported
    std::uint32_t random_bytes = 0;        // of a release
    std::uint32_t report_bytes = 0;        // in a batch, with an id below 128 and at level 0
    // Standard errors with all devices: of a share that is typical (the root of the variance's mean
    // over categories), or of a mean, at worst, as a share of its range; and of a share of nothing,
    // from which follows what can be found. Means have no such floor.
    double std_error = 0;
    std::optional<double> rare_error;
    std::string remark;
    bool only_listed = false; // it promises less than the others do, so it is never chosen

    double half_width() const; // of a 95 % interval
    // The smallest share that is told from nothing with 90 % probability, when 5 % of `questions`
    // asked at once may raise a false alarm.
    std::optional<double> floor(double questions) const;
};

// The same question asked more or less often.
struct plan_pace {
    double reports_per_day = 1; // of a device; below 1: the one report of several days
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
    bool reached = true; // what was wanted
    // Otherwise: with this many devices, or at this epsilon a release, it would be; nothing where
    // no number of devices, or no epsilon up to 32, does it.
    std::optional<double> devices_needed, epsilon_needed;

    const plan_option &chosen() const { return options[best]; }
    // How many devices this way takes for what is wanted, or without that for an accuracy of 1 %;
    // nothing where no number of them does it.
    std::optional<double> devices_for(const plan_option &option) const;
    // The chosen metric for a metrics.toml.
    std::string toml() const;
};

// Errors: usage_error naming the option that is missing, out of place or out of range.
plan make_plan(const plan_request &request);

} // namespace sotto::aggregator
#endif
