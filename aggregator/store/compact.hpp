// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_COMPACT_HPP
#define SOTTO_AGGREGATOR_STORE_COMPACT_HPP

#include "aggregator/store/store.hpp"

#include <span>

namespace sotto::aggregator {

// Puts segments of like size together when there are many, so that a store that is fed by the
// minute stays a few files. Changes no row. Errors: environment_error.
void compact(const store &in, std::span<const metric *const> metrics);

// Removes the rows of all epochs up to this one; tallies stay. Errors: environment_error.
void remove_rows_through(const store &in, std::uint32_t epoch);

} // namespace sotto::aggregator
#endif
