// SPDX-License-Identifier: Apache-2.0
// A registry's data sheet: facts that a privacy reviewer reads, fills in and signs.
#ifndef SOTTO_AGGREGATOR_PROMISE_DATASHEET_HPP
#define SOTTO_AGGREGATOR_PROMISE_DATASHEET_HPP

#include "aggregator/registry/registry.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// One fact. `field` is its name in the Differential Privacy Deployments Registry (Nanayakkara,
// Ghazi and Vadhan 2025). Otherwise it is a level of the pyramid of NIST SP 800-226, or "".
struct sheet_fact {
    std::string name;
    std::string value; // one sentence or more; "": nobody but the operator knows it
    std::string field;
};

// In place of a value that nobody but the operator knows.
inline constexpr const char *to_be_filled_in = "to be filled in";

struct sheet_part {
    std::string title;
    std::vector<sheet_fact> facts;
};

struct datasheet {
    std::string title;
    std::vector<sheet_part> parts;
};

// Epochs that a store holds reports of: the first, the last, and how many there are.
struct held_epochs {
    std::uint32_t first = 0, last = 0;
    std::uint64_t count = 0;
};

// Every epsilon is rounded up. `registry_path` stands in the commands that compute it again;
// `held` is nothing where no store was given. `shuffled` is nothing where no relay mixes so many.
datasheet datasheet_of(const registry &known, const std::string &registry_path,
                       const std::optional<held_epochs> &held,
                       const std::optional<std::uint64_t> &shuffled = {});

} // namespace sotto::aggregator
#endif
