// SPDX-License-Identifier: Apache-2.0
// What a metric's noise and reports amount to before there are any reports.
#ifndef SOTTO_AGGREGATOR_PROGRAM_EPSILON_ACCURACY_HPP
#define SOTTO_AGGREGATOR_PROGRAM_EPSILON_ACCURACY_HPP

#include "aggregator/registry/registry.hpp"

#include "sotto/registry.h"

namespace sotto::aggregator {

// The standard error of so many reports published at one level. Of a mean, in its unit, when every
// number stands in the middle of the range; else of the share of true, or of one category, member
// or string that is rare: few have it, so that its error is that of the others' noise. Strings: fit
// to a list of candidates much shorter than bits times cohorts.
double expected_error(const metric &m, std::size_t level, std::uint64_t reports);

// "share of true", "share of a category", "mean": what the error is of.
const char *estimand(const metric &m);

// A report inside its batch, as WIRE.md has it, at a level above the first where there is one.
std::size_t report_bytes(const metric &m);

// What a device draws for one release at all levels, those above the ladder included: its seed and
// id, and the noise of every word, fresh or from a stream.
std::size_t release_random_bytes(const metric &of, const sotto_metric &m);

} // namespace sotto::aggregator
#endif
