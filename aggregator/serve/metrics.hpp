// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_METRICS_HPP
#define SOTTO_AGGREGATOR_SERVE_METRICS_HPP

#include <cstdint>
#include <map>
#include <string>

namespace sotto::aggregator {

// The numbers of a running server; counts are since its start.
struct server_numbers {
    std::uint64_t stored = 0, not_stored = 0, cut = 0; // requests
    std::map<std::string, std::uint64_t> refused;      // requests, by the words of the answer
    std::uint64_t stored_bytes = 0, groups = 0, syncs = 0;
    std::uint64_t connections = 0, connections_accepted = 0, connections_dropped = 0;
    std::uint64_t waiting_bytes = 0, waiting_bytes_max = 0, waiting_files = 0;
};

// The header of metrics_text().
inline constexpr const char *metrics_content_type =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

// OpenMetrics 1.0.0 (openmetrics.io, "Text format").
std::string metrics_text(const server_numbers &numbers);

} // namespace sotto::aggregator
#endif
