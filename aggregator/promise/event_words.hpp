// SPDX-License-Identifier: Apache-2.0
// The promise of a counter in sentences.
#ifndef SOTTO_AGGREGATOR_PROMISE_EVENT_WORDS_HPP
#define SOTTO_AGGREGATOR_PROMISE_EVENT_WORDS_HPP

#include "aggregator/registry/registry.hpp"

#include <string>

namespace sotto::aggregator {

// All are of a counter. "one event of at most 3 units".
std::string event_in_words(const metric &m);
// Lines, each indented by two blanks: epsilon of one event over all rows that it is ever in, and as
// the factor e^epsilon. Then epsilon of the events before a theft, at most.
std::string promise_of_events(const metric &m);
std::string theft_of_events(const metric &m);
// A table of epsilon by age in epochs where an event fades; else "".
std::string ages_text(const metric &m);

} // namespace sotto::aggregator
#endif
