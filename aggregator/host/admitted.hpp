// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_HOST_ADMITTED_HPP
#define SOTTO_AGGREGATOR_HOST_ADMITTED_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/seal/open.hpp"

#include <optional>

namespace sotto::aggregator {

// The registries whose reports are read where there is no store, and keys to open them with.
// Immutable; safe to share by threads.
struct admitted {
    std::vector<registry> registries;
    std::vector<metric> metrics; // each once, with all levels, ascending by fingerprint
    std::optional<keyring> keys;
};

// Texts of metrics.json, and a key file or a folder of them; "": none. Errors: usage_error, where
// they contradict each other, too.
admitted admit(const std::vector<std::string_view> &texts, const std::string &keys);

} // namespace sotto::aggregator
#endif
