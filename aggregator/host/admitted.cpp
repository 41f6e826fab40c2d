// SPDX-License-Identifier: Apache-2.0
#include "aggregator/host/admitted.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/store/store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace sotto::aggregator {

admitted admit(const std::vector<std::string_view> &texts, const std::string &keys) {
    if (texts.empty()) {
        throw usage_error("no registry; at least one metrics.json is needed");
    }
    admitted with;
    for (const std::string_view text : texts) {
        const std::string name = fmt::format("registry {}", with.registries.size());
        registry given = parse_registry(text, name);
        store::check_admissible(name, with.registries, given);
        with.metrics.insert(with.metrics.end(), given.metrics.begin(), given.metrics.end());
        with.registries.push_back(std::move(given));
    }
    std::ranges::stable_sort(with.metrics, [](const metric &a, const metric &b) {
        return std::tuple(a.fingerprint, b.forward.size()) <
               std::tuple(b.fingerprint, a.forward.size());
    });
    const auto is_same = [](const metric &a, const metric &b) {
        return a.fingerprint == b.fingerprint;
    };
    with.metrics.erase(std::unique(with.metrics.begin(), with.metrics.end(), is_same),
                       with.metrics.end());
    if (!keys.empty()) {
        with.keys.emplace(read_private_keys(keys));
    }
    return with;
}

} // namespace sotto::aggregator
