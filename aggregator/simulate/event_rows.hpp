// SPDX-License-Identifier: Apache-2.0
// A table in long form: a row is an event, or an amount, of one device in one epoch.
#ifndef SOTTO_AGGREGATOR_SIMULATE_EVENT_ROWS_HPP
#define SOTTO_AGGREGATOR_SIMULATE_EVENT_ROWS_HPP

#include "aggregator/base/csv.hpp"
#include "aggregator/registry/registry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sotto::aggregator {

struct counted_event {
    std::uint32_t epoch = 0;
    const metric *subject = nullptr;
    std::int32_t amount = 1;
};

// All that one device counts, by epoch.
struct device_life {
    std::uint64_t number = 0; // no other has it
    std::vector<counted_event> events;
};

// Devices in the order of their first rows, and the epochs that they all live through.
struct event_table {
    std::uint32_t first = 0, last = 0;
    std::vector<device_life> devices;
};

struct event_columns {
    std::vector<std::string> map; // METRIC: an event a row; METRIC=COLUMN: an amount
    std::string device, epoch;    // an epoch is a number, or a date in it
};

// Errors: usage_error naming the option, or the row and column. The metric is no counter, a column
// is not there, an epoch or amount is none. There are more than a million epochs.
event_table read_events(csv_file &from, const event_columns &columns, const registry &with);

} // namespace sotto::aggregator
#endif
