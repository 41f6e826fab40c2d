// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/read_metric.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/registry/read_ladder.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

constexpr std::size_t label_bytes_max = 512; // 128 characters

// The mechanism that is to read the table.
const mechanism &read_kind(const json_node &node, metric &m) {
    m.type_name = node.at("type").string();
    const std::string name = node.at("mechanism").string();
    m.mechanism_name = name;
    std::vector<std::string> mechanisms;
    const mechanism *how = nullptr;
    for (const known_mechanism &known : known_mechanisms()) {
        if (m.type_name != known.type) {
            continue;
        }
        mechanisms.emplace_back(known.name);
        if (known.name == name) {
            m.type = known.type_number;
            m.mechanism = known.number;
            how = known.how;
        }
    }
    if (mechanisms.empty()) {
        node.at("type").fail(fmt::format("{} is not known; known: {}", in_quotes(m.type_name),
                                         joined(known_types())));
    }
    if (how == nullptr) {
        node.at("mechanism")
            .fail(fmt::format("{} is not known for type {}; known: {}", in_quotes(m.mechanism_name),
                              m.type_name, joined(mechanisms)));
    }
    return *how;
}

std::vector<std::string> read_names(const json_node &node, std::size_t count) {
    std::vector<std::string> names;
    std::set<std::string, std::less<>> seen;
    for (const json_node &label : node.elements(count, count)) {
        names.push_back(label.label(label_bytes_max));
        if (!seen.insert(names.back()).second) {
            label.fail(in_quotes(names.back()) + " occurs twice");
        }
    }
    return names;
}

// The names that a category or set has for its values: as many as the table has bits or indices.
void read_own_names(const json_node &node, metric &m) {
    const published_values values = mechanism_of(m).published(m);
    const std::uint32_t size = m.value_size();
    if (m.type == SOTTO_TYPE_CATEGORY) {
        if (node.has("categories") && !node.at("categories").is_null()) {
            m.names = read_names(node.at("categories"), size);
        } else {
            (void)node.at("size").integer(size, size);
        }
    }
    if (m.type == SOTTO_TYPE_SET) {
        m.names = read_names(node.at("members"), size);
        (void)node.at("max_members").integer(values.max_members, values.max_members);
    }
}

// A level for each state of the window; the compiler has looked at what it spends.
void read_policy(const json_node &node, metric &m) {
    if (!node.has("policy")) {
        return;
    }
    std::size_t states = 1;
    for (std::uint32_t i = 1; m.window && i < m.window->epochs && states <= 4096; ++i) {
        states *= m.levels.size() + 1;
    }
    const auto top = static_cast<std::uint32_t>(m.levels.size() - 1);
    for (const json_node &entry : node.at("policy").elements(states, states)) {
        m.policy.push_back(static_cast<std::uint8_t>(entry.integer(0, top)));
    }
    if (states == 1 || m.per_epoch != 1 || m.cost_reports != 0) {
        node.at("policy").fail("is for one measurement an epoch, in a window of several");
    }
}

// Never falling, by level and by number of releases, and no less than what each level loses.
void read_costs(const json_node &node, metric &m) {
    const bool lifelong = mechanism_of(m).remembered(m).has_value();
    m.cost_reports = node.at("cost_reports").integer(lifelong ? 1 : 0, lifelong ? 65 : 0);
    const std::size_t each = lifelong ? m.cost_reports : 1;
    const std::size_t count = m.level_count() * each;
    for (const json_node &written : node.at("costs").elements(count, count)) {
        const auto cost = static_cast<std::uint32_t>(written.integer_text(1, 0xffffffff));
        const std::size_t at = m.costs.size(), level = at / each;
        if ((at % each > 0 && cost < m.costs[at - 1]) || (level > 0 && cost < m.costs[at - each])) {
            written.fail("falls");
        }
        const double least = std::ldexp(m.realised(level).value, 20);
        if (cost < least && cost < 0xffffffff) {
            written.fail("is less than the level alone loses");
        }
        m.costs.push_back(cost);
    }
}

// All that is published of a release is drawn from what is kept of it.
void read_open_release(const json_node &node, metric &m) {
    m.open_release = node.at("open_release").decimal_text();
    const double least = m.forward.empty() ? m.joint.value : m.forward.back().joint.value;
    if (m.open_release.value < least) {
        node.at("open_release").fail("is less than what is published loses");
    }
}

} // namespace

constexpr std::uint32_t budget_units_max = std::uint32_t{2000} << 20;

std::optional<budget> read_budget(const json_node &node, const char *key, const char *epochs_key,
                                  std::uint32_t epochs_max) {
    const json_node own = node.at(key);
    if (own.is_null()) {
        (void)node.at("budget").integer_text(0, 0);
        return std::nullopt;
    }
    budget b{own.at(epochs_key).integer(1, epochs_max), own.at("epsilon").decimal_text(), 0};
    b.units = static_cast<std::uint32_t>(node.at("budget").integer_text(1, budget_units_max));
    if (std::abs(b.units - std::ldexp(b.epsilon.value, 20)) > 1) {
        node.at("budget").fail("is not floor(2^20 * epsilon)");
    }
    return b;
}

metric read_metric(const json_node &node) {
    metric m;
    m.id = static_cast<std::uint16_t>(node.at("id").integer(1, 65535));
    m.name = node.at("name").identifier('_', 64);
    m.fingerprint = node.at("fingerprint").fingerprint();
    const mechanism &how = read_kind(node, m);
    m.window = read_budget(node, "window", "epochs", 64);
    m.per_epoch = node.at("per_epoch").integer(1, 255);
    how.read(node, node.at("levels").elements(1, levels_max).size(), m);
    read_own_names(node, m);
    const std::uint32_t words = value_words_of(mechanism_of(m).published(m));
    m.value_words = static_cast<std::uint16_t>(node.at("value_words").integer(words, words));
    m.random_bytes = static_cast<std::uint16_t>(node.at("random_bytes").integer(0, 65535));
    read_ladder(node, m);
    const auto top = static_cast<std::uint32_t>(m.levels.size() - 1);
    m.request_level = node.at("request_level").integer(0, top);
    read_costs(node, m);
    read_policy(node, m);
    read_open_release(node, m);
    return m;
}

} // namespace sotto::aggregator
