// SPDX-License-Identifier: Apache-2.0
// The options of a call, by the names of their members; __init__.py has their types and words.
#ifndef SOTTO_PYTHON_OPTIONS_HPP
#define SOTTO_PYTHON_OPTIONS_HPP

#include "aggregator/program/commands.hpp"

#include <nanobind/nanobind.h>

namespace sotto::python {

// Errors: KeyError for an option that there is none of; TypeError for a value of another type.
aggregator::estimate_options estimate_options_of(const nanobind::dict &given);
aggregator::simulate_options simulate_options_of(const nanobind::dict &given);
aggregator::plan_request plan_request_of(const nanobind::dict &given);

} // namespace sotto::python
#endif
