// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REGISTRY_REGISTRY_HPP
#define SOTTO_AGGREGATOR_REGISTRY_REGISTRY_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// An exact decimal as the registry compiler wrote it, and the double nearest to it.
struct decimal {
    std::string text;
    double value = 0;
};

// At most `epsilon` in any `epochs` epochs that follow one another.
struct budget {
    std::uint32_t epochs = 0;
    decimal epsilon;
};

struct ladder_level {
    decimal nominal;
    decimal realised;            // certified, rounded up, at most nominal
    double flip_probability = 0; // P(published != true), in (0, 1/2); the double nearest to it
    std::uint32_t cost = 0;      // ceil(2^20 * realised)
};

struct metric {
    std::uint16_t id = 0;
    std::uint8_t type = 0;      // SOTTO_TYPE_...
    std::uint8_t mechanism = 0; // SOTTO_MECHANISM_...
    std::uint16_t random_bytes = 0;
    std::uint32_t fingerprint = 0;
    std::string name;
    std::string type_name, mechanism_name;
    std::optional<budget> window;
    std::vector<ladder_level> levels; // 1 to 16
    std::vector<std::uint64_t> flip;  // as sotto_randomized_response, one a level
    decimal joint;                    // realised loss of the whole ladder published
};

// What tools/sotto-registry wrote to metrics.json, checked. Immutable; safe to share by threads.
struct registry {
    std::string name;
    std::uint32_t version = 0;
    std::uint32_t fingerprint = 0;
    std::optional<budget> device;
    std::vector<metric> metrics; // ascending by id

    // Null when there is none.
    const metric *find(std::uint32_t id) const;
    const metric *find(std::string_view metric_name) const;
    std::vector<std::string> metric_names() const;
};

// Reads the text of a metrics.json; `path` is for messages. Errors: usage_error "path: what".
registry parse_registry(std::string_view text, const std::string &path);

struct registry_file {
    registry content;
    std::string text;
};

// Errors: as parse_registry and fail_input.
registry_file load_registry(const std::string &path);

} // namespace sotto::aggregator
#endif
