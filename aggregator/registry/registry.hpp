// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REGISTRY_REGISTRY_HPP
#define SOTTO_AGGREGATOR_REGISTRY_REGISTRY_HPP

#include "aggregator/mechanism/metric.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// The content of metrics.json, by tools/sotto-registry, checked. Immutable; safe to share by
// threads.
struct registry {
    std::string name;
    std::uint32_t version = 0;
    std::uint32_t fingerprint = 0;
    std::optional<budget> device;
    std::uint32_t max_epoch_jump = 0;
    std::uint8_t padding_bytes = 32; // batches are padded to a multiple; 0: they are not
    std::optional<calendar> days;    // nothing: epochs have no dates
    std::vector<metric> metrics;     // ascending by id

    // Null when there is none.
    const metric *find(std::uint32_t id) const;
    const metric *find(std::string_view metric_name) const;
    std::vector<std::string> metric_names() const;
};

// Reads the text of a metrics.json; `path` is for messages. Errors: usage_error "path: what".
registry parse_registry(std::string_view text, const std::string &path);

// A registry, and its text as it was read.
struct registry_file {
    registry content;
    std::string text;
};

// Errors: as parse_registry and fail_input.
registry_file load_registry(const std::string &path);

} // namespace sotto::aggregator
#endif
