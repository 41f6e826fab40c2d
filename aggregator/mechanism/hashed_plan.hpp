// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_HASHED_PLAN_HPP
#define SOTTO_AGGREGATOR_MECHANISM_HASHED_PLAN_HPP

#include "aggregator/mechanism/plan_option.hpp"

#include <vector>

namespace sotto::aggregator {

// Ways to ask for strings or categories with hashed response; none where no permanent noise is
// within the caps. A plan chooses it for more categories than a report has bits,
// where no design is nearly as exact.
std::vector<plan_option> hashed_options(const plan_request &request, double epsilon);

// The hash values of optimized local hashing, as tools/registry/hashed.py has them: 2 to 1024.
std::uint32_t best_hash_values(double epsilon);
// The loss of so many reports of one hash value: `epsilon` of the first alone, `forever`, which is
// above it, of any number (MECHANISMS.md, L).
double hashed_loss(double epsilon, double forever, std::uint32_t size, double reports);

} // namespace sotto::aggregator
#endif
