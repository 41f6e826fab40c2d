// SPDX-License-Identifier: Apache-2.0
// Which noise, and of strings which Bloom filter.
#ifndef SOTTO_AGGREGATOR_MECHANISM_RAPPOR_PLAN_HPP
#define SOTTO_AGGREGATOR_MECHANISM_RAPPOR_PLAN_HPP

#include "aggregator/mechanism/plan_option.hpp"

#include <vector>

namespace sotto::aggregator {

std::vector<plan_option> string_options(const plan_request &request, double epsilon);
// For a category that is reported again and again: the value is protected as long as it stays.
std::vector<plan_option> one_hot_options(const plan_request &request, double epsilon);

} // namespace sotto::aggregator
#endif
