// SPDX-License-Identifier: Apache-2.0
// Reports of a table, as the SDK makes them: the program and the Python package call it.
#ifndef SOTTO_AGGREGATOR_SIMULATE_SIMULATION_HPP
#define SOTTO_AGGREGATOR_SIMULATE_SIMULATION_HPP

#include "aggregator/report/reason.hpp"
#include "aggregator/simulate/host_device.hpp"
#include "aggregator/simulate/mapping.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sotto::aggregator {

// Writes the envelopes that the SDK makes of a table to `out`.
struct simulate_options {
    std::string registry, input, out, seed, key, request, request_key;
    mapping_options mapping;
    std::string malformed, duplicated, relaxed; // shares
    std::string device, epoch_column;           // a row is of one device in one epoch
    std::uint64_t repeat = 1;
    std::uint32_t epoch = 0;
    std::uint32_t levels = 0;
};

// Reports that a gateway spoilt, and reports that it sent twice.
struct wrong_reports {
    rejections spoilt;
    std::uint64_t duplicates = 0;
};

struct simulated {
    std::uint64_t devices = 0, reports = 0, bytes = 0;
    // First and last, where rows are dated.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> epochs;
    adapted_values adapted;
    std::optional<request_answers> answers; // where there was a request
    std::optional<wrong_reports> wrong;     // where there was a gateway
    std::vector<std::string> unseen;        // a line for each text that no row had
};

// So many devices are done, and this share of the table: 0 to 1, 0 when nobody knows.
using simulation_progress = std::function<void(std::uint64_t, double)>;

// Errors: usage_error naming the option, or row and column; environment_error.
simulated simulate_table(const simulate_options &options, const simulation_progress &shown);

} // namespace sotto::aggregator
#endif
