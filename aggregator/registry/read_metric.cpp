// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/read_metric.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/registry/laplace_law.hpp"
#include "aggregator/registry/law.hpp"
#include "aggregator/registry/read_ladder.hpp"
#include "aggregator/registry/read_table.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

constexpr std::size_t label_bytes_max = 512; // 128 characters

struct known_kind {
    const char *type;
    std::uint8_t type_number;
    const char *mechanism;
    std::uint8_t mechanism_number;
};

constexpr std::array known_kinds = {
    known_kind{"boolean", SOTTO_TYPE_BOOLEAN, "randomized_response",
               SOTTO_MECHANISM_RANDOMIZED_RESPONSE},
    known_kind{"boolean", SOTTO_TYPE_BOOLEAN, "laplace_threshold",
               SOTTO_MECHANISM_LAPLACE_THRESHOLD},
    known_kind{"category", SOTTO_TYPE_CATEGORY, "k_randomized_response",
               SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE},
    known_kind{"category", SOTTO_TYPE_CATEGORY, "optimized_unary", SOTTO_MECHANISM_OPTIMIZED_UNARY},
    known_kind{"category", SOTTO_TYPE_CATEGORY, "unary", SOTTO_MECHANISM_UNARY},
    known_kind{"category", SOTTO_TYPE_CATEGORY, "basic_rappor", SOTTO_MECHANISM_BASIC_RAPPOR},
    known_kind{"set", SOTTO_TYPE_SET, "optimized_unary", SOTTO_MECHANISM_OPTIMIZED_UNARY},
    known_kind{"set", SOTTO_TYPE_SET, "unary", SOTTO_MECHANISM_UNARY},
    known_kind{"string", SOTTO_TYPE_STRING, "rappor", SOTTO_MECHANISM_RAPPOR},
    known_kind{"integer", SOTTO_TYPE_INTEGER, "discrete_laplace", SOTTO_MECHANISM_DISCRETE_LAPLACE},
    known_kind{"vector", SOTTO_TYPE_VECTOR, "discrete_laplace", SOTTO_MECHANISM_DISCRETE_LAPLACE},
    known_kind{"mean", SOTTO_TYPE_MEAN, "one_bit_mean", SOTTO_MECHANISM_ONE_BIT_MEAN},
};

void read_kind(const json_node &node, metric &m) {
    m.type_name = node.at("type").string();
    m.mechanism_name = node.at("mechanism").string();
    std::vector<std::string> types, mechanisms;
    for (const known_kind &known : known_kinds) {
        if (types.empty() || types.back() != known.type) {
            types.emplace_back(known.type);
        }
        if (m.type_name != known.type) {
            continue;
        }
        mechanisms.emplace_back(known.mechanism);
        if (m.mechanism_name == known.mechanism) {
            m.type = known.type_number;
            m.mechanism = known.mechanism_number;
        }
    }
    if (mechanisms.empty()) {
        node.at("type").fail(
            fmt::format("{} is not known; known: {}", in_quotes(m.type_name), joined(types)));
    }
    if (m.mechanism == 0) {
        node.at("mechanism")
            .fail(fmt::format("{} is not known for type {}; known: {}", in_quotes(m.mechanism_name),
                              m.type_name, joined(mechanisms)));
    }
}

std::vector<std::string> read_names(const json_node &node, std::size_t count) {
    std::vector<std::string> names;
    std::set<std::string, std::less<>> seen;
    for (const json_node &one : node.elements(count, count)) {
        names.push_back(one.label(label_bytes_max));
        if (!seen.insert(names.back()).second) {
            one.fail(in_quotes(names.back()) + " occurs twice");
        }
    }
    return names;
}

// Epsilon is promised for this distance, so no two values may be further apart.
void read_sensitivity(const json_node &node, const discrete_laplace_table &table, metric &m) {
    const std::uint64_t diameter = l1_diameter(table);
    m.l1_sensitivity = diameter;
    if (m.type == SOTTO_TYPE_VECTOR) {
        m.l1_sensitivity = node.at("l1_sensitivity").large_integer();
        // Half of it is enforced on either side of the centre: an odd one leaves one over.
        if (m.l1_sensitivity < diameter || m.l1_sensitivity > diameter + 1) {
            node.at("l1_sensitivity").fail("does not follow from table.l1_half");
        }
    }
}

// The keys of metrics.toml that the aggregator reads too, against the table.
void read_own_keys(const json_node &node, metric &m) {
    const auto count = m.value_size();
    if (m.type == SOTTO_TYPE_CATEGORY) {
        if (node.has("categories") && !node.at("categories").is_null()) {
            m.names = read_names(node.at("categories"), count);
        } else {
            (void)node.at("size").integer(count, count);
        }
    }
    if (m.type == SOTTO_TYPE_SET) {
        const std::uint32_t most = std::get<unary_table>(m.table).max_members;
        m.names = read_names(node.at("members"), count);
        (void)node.at("max_members").integer(most, most);
    }
    if (const auto *t = std::get_if<discrete_laplace_table>(&m.table)) {
        (void)node.at("min").signed_integer(t->min, t->min);
        (void)node.at("max").signed_integer(t->max, t->max);
        read_sensitivity(node, *t, m);
    }
}

// One number at a time, or one bit: what the wire has no room for besides.
void check_shape(const json_node &table, const metric &m) {
    if (const auto *t = std::get_if<unary_table>(&m.table);
        t != nullptr && m.type == SOTTO_TYPE_CATEGORY && t->max_members != 1) {
        table.at("max_members").fail("not 1, for a category");
    }
    const discrete_laplace_table *laplace = std::get_if<discrete_laplace_table>(&m.table);
    if (const auto *t = std::get_if<laplace_threshold_table>(&m.table)) {
        laplace = &t->lattice;
    }
    if (laplace == nullptr) {
        return;
    }
    if (m.type != SOTTO_TYPE_VECTOR && laplace->length != 1) {
        table.fail("length is not 1");
    }
    if (const std::string what = flaw(*laplace); !what.empty()) {
        table.fail(what);
    }
}

// Never falling, by level and by number of releases, and no less than what each level loses.
void read_costs(const json_node &node, metric &m) {
    const auto *rappor = std::get_if<rappor_table>(&m.table);
    const bool lifelong = rappor != nullptr && !rappor->protects_sequence;
    m.cost_reports = node.at("cost_reports").integer(lifelong ? 1 : 0, lifelong ? 65 : 0);
    const std::size_t each = lifelong ? m.cost_reports : 1;
    const std::size_t count = m.level_count() * each;
    for (const json_node &one : node.at("costs").elements(count, count)) {
        const auto cost = static_cast<std::uint32_t>(one.integer_text(1, 0xffffffff));
        const std::size_t at = m.costs.size(), level = at / each;
        if ((at % each > 0 && cost < m.costs[at - 1]) || (level > 0 && cost < m.costs[at - each])) {
            one.fail("falls");
        }
        const double least = std::ldexp(m.realised(level).value, 20);
        if (cost < least && cost < 0xffffffff) {
            one.fail("is less than the level alone loses");
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

std::uint32_t words(const metric &m) {
    switch (m.kind()) {
    case value_kind::bits:
        return (m.value_size() + 31) / 32;
    case value_kind::numbers:
        return m.value_size();
    default:
        return 1;
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
    read_kind(node, m);
    m.window = read_budget(node, "window", "epochs", 64);
    m.per_epoch = node.at("per_epoch").integer(1, 255);
    m.table = read_table(node, m, node.at("levels").elements(1, levels_max).size());
    check_shape(node.at("table"), m);
    read_own_keys(node, m);
    m.value_words = static_cast<std::uint16_t>(node.at("value_words").integer(words(m), words(m)));
    m.random_bytes = static_cast<std::uint16_t>(node.at("random_bytes").integer(0, 65535));
    read_ladder(node, m);
    const auto top = static_cast<std::uint32_t>(m.levels.size() - 1);
    m.request_level = node.at("request_level").integer(0, top);
    read_costs(node, m);
    read_open_release(node, m);
    return m;
}

} // namespace sotto::aggregator
