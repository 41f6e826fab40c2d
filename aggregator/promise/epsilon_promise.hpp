// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROMISE_EPSILON_PROMISE_HPP
#define SOTTO_AGGREGATOR_PROMISE_EPSILON_PROMISE_HPP

#include "aggregator/registry/registry.hpp"

namespace sotto::aggregator {

// A metric's promise and its limits, in sentences for the person who signs.
std::string promise(const metric &m);

// Between which values a report leaves room for doubt: "any two of the 5 categories". Where noise
// is remembered, only values that no other epoch's report has.
std::string what_is_hidden(const metric &m);
// Reports of a value that comes again or changes, in lines indented by two blanks; not of events.
std::string repeats(const metric &m);
// The factor that epsilon stands for, rounded up: "3 (e^1.0987)".
std::string odds(double epsilon);

} // namespace sotto::aggregator
#endif
