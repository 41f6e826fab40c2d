// SPDX-License-Identifier: Apache-2.0
// The accuracy and the size of a metric's reports before there are any.
#ifndef SOTTO_AGGREGATOR_PROMISE_EPSILON_ACCURACY_HPP
#define SOTTO_AGGREGATOR_PROMISE_EPSILON_ACCURACY_HPP

#include "aggregator/registry/registry.hpp"

#include "sotto/registry.h"

namespace sotto::aggregator {

// The standard error of so many reports published at one level. A mean: in its unit, when every
// number stands in the middle of the range. Else: the share of true, or of one category, member or
// string that is rare. Few have it, so its error is that of the others' noise. Strings: fit to a
// list of candidates much shorter than bits times cohorts.
double expected_error(const metric &m, std::size_t level, std::uint64_t reports);

// "share of true", "share of a category", "mean": what the error is of.
const char *estimand(const metric &m);

// A report inside its batch, as WIRE.md has it, at a level above the first where there is one.
std::size_t report_bytes(const metric &m);

// Random bytes that a device draws for one release at all levels, those above the ladder included.
// They are its seed, its id, and the noise of every word, fresh or from a stream.
std::size_t release_random_bytes(const metric &m, const sotto_metric &image);

} // namespace sotto::aggregator
#endif
