// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_RAPPOR_NOISE_HPP
#define SOTTO_AGGREGATOR_MECHANISM_RAPPOR_NOISE_HPP

#include "aggregator/mechanism/plan_option.hpp"
#include "aggregator/statistics/bit_channel.hpp"

#include <functional>

namespace sotto::aggregator {

// Probabilities that take few random bits: multiples of 1/32; permanent noise below 1/16 or above
// 3/4 of 1/1024.
struct rappor_noise {
    double f = 1, p = 0.5, q = 0.5;
};

// The most that one report, the reports of a day, and all reports of one value may lose.
struct rappor_caps {
    double release = 0, day = 0, forever = 0, reports_per_day = 1;

    // Whether a string of so many hashes loses no more.
    bool allow(const rappor_noise &n, double hashes) const;
};

// A lifetime of four releases unless the request says otherwise, as in the paper's example.
rappor_caps caps_of(const plan_request &request, double epsilon);

// The least permanent noise that loses at most `forever`; 1 where there is none.
double least_permanent(double forever, double hashes);

// The noise of the least error that the caps allow, if there is any. The permanent noise is the
// least that the cap on a lifetime allows: as much as possible is then drawn anew for every report.
// Or it is the least that keeps the cap on a day, whatever is reported in it. This is better where
// there are many reports. Something always is drawn anew.
std::optional<rappor_noise>
best_rappor_noise(const rappor_caps &caps, double hashes,
                  const std::function<double(const bit_channel &)> &error);

// Sets the option's losses: of a report, a day and a life.
void set_costs(plan_option &option, const rappor_noise &n, double hashes, double reports_per_day);
// Random bytes of one release of `bits` bits, for both stages.
std::uint32_t rappor_random_bytes(std::uint32_t bits, const rappor_noise &n);

} // namespace sotto::aggregator
#endif
