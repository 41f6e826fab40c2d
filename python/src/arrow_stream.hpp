// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_PYTHON_ARROW_STREAM_HPP
#define SOTTO_PYTHON_ARROW_STREAM_HPP

#include "arrow_abi.hpp"
#include "columns.hpp"

#include <memory>

namespace sotto::python {

// A stream of one batch. Consumers share the table's memory, and may outlive whoever made it.
void export_stream(std::shared_ptr<const column> table, ArrowArrayStream &out);
void export_schema(const column &table, ArrowSchema &out);

} // namespace sotto::python
#endif
