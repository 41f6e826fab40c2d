// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_PYTHON_HOST_HPP
#define SOTTO_PYTHON_HOST_HPP

#include <nanobind/nanobind.h>

namespace sotto::python {

// The calls of aggregator/host/sotto_host.h, as classes: sotto/spark.py calls them.
void define_host(nanobind::module_ &module);

} // namespace sotto::python
#endif
