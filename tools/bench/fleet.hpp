// SPDX-License-Identifier: Apache-2.0
// The fleet of the benchmark: its devices report 128-bit RAPPOR strings in 64 cohorts.
#ifndef SOTTO_TOOLS_BENCH_FLEET_HPP
#define SOTTO_TOOLS_BENCH_FLEET_HPP

#include "aggregator/registry/registry.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sotto::bench {

inline constexpr std::size_t bits = 128, cohorts = 64, reports_per_batch = 16;

// One metric, id 1.
const aggregator::registry &fleet_registry();

// Encoded batches with a million reports.
const std::vector<std::string> &some_batches();

// A report file with `reports` distinct releases; made once for each count.
std::string report_file(std::size_t reports);

// A directory of its own on the disk, emptied.
std::filesystem::path scratch(const std::string &name);

} // namespace sotto::bench
#endif
