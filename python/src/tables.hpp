// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_PYTHON_TABLES_HPP
#define SOTTO_PYTHON_TABLES_HPP

#include "aggregator/estimate/estimate.hpp"
#include "columns.hpp"

#include <optional>

namespace sotto::python {

// The fields of text/fields.hpp, each of one type.
column estimate_table(const aggregator::estimates &found);

// Stored reports of a metric as they are kept: all levels of a release, noised.
column row_table(const aggregator::store &from, const aggregator::metric &m,
                 std::optional<std::uint32_t> epoch);

} // namespace sotto::python
#endif
