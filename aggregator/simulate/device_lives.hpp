// SPDX-License-Identifier: Apache-2.0
// A table in long form: a row is what one device met in one epoch.
#ifndef SOTTO_AGGREGATOR_SIMULATE_DEVICE_LIVES_HPP
#define SOTTO_AGGREGATOR_SIMULATE_DEVICE_LIVES_HPP

#include "aggregator/simulate/mapping.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A value that is reported, or an amount that a counter counts.
struct dated_value {
    std::uint32_t epoch = 0;
    const metric *subject = nullptr;
    cell_value value;
};

// All that one device meets, by epoch.
struct device_life {
    std::uint64_t number = 0; // no other has it
    std::vector<dated_value> values;
};

// Devices in the order of their first rows, and the epochs that they all live through.
struct device_lives {
    std::uint32_t first = 0, last = 0;
    std::vector<device_life> devices;
};

// Columns with the device's name and its epoch: a number, or a date in it.
struct life_columns {
    std::string device, epoch;
};

// Errors: usage_error naming the option, or the row and column. A column is not there, a device,
// epoch or value is none. There are more than a million epochs.
device_lives read_lives(csv_file &from, std::vector<mapped_column> &mapped,
                        const life_columns &columns, const registry &with);

} // namespace sotto::aggregator
#endif
