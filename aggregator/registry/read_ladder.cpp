// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/read_ladder.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// For numbers that follow from each other exactly.
constexpr double tolerance = 1e-11;

bool agree(double a, double b, double within = tolerance) {
    return std::abs(a - b) <= within * std::abs(b);
}

ladder_rules rules_of(const metric &m) { return mechanism_of(m).rules(m); }

// Replaces what was computed by what is written, which is exact but for its last bit.
void read_law(const json_node &node, const metric &m, level_law &law) {
    const double within = rules_of(m).tolerance;
    for (const auto &[name, computed] : probabilities_of(law)) {
        const json_node written = node.at("probabilities").at(name);
        const double value = written.fraction();
        if (!agree(value, *computed, within)) {
            written.fail("does not follow from table");
        }
        *computed = value;
    }
    for (const auto &[name, computed] : parameters_of(law)) {
        const json_node written = node.at(name);
        const double value = written.decimal_text().value;
        if (!agree(value, *computed, within)) {
            written.fail("does not follow from table");
        }
        *computed = value;
    }
}

std::uint32_t read_cost(const json_node &node, const decimal &epsilon) {
    const auto cost = static_cast<std::uint32_t>(node.integer_text(1, UINT32_MAX));
    if (std::abs(cost - std::ldexp(epsilon.value, 20)) > 1) {
        node.fail("is not ceil(2^20 * epsilon)");
    }
    return cost;
}

void check_realised(const json_node &node, const metric &m, const level_law &law, double realised) {
    if (!agree(realised, mechanism_of(m).loss(m, law), rules_of(m).tolerance)) {
        node.fail("does not follow from probabilities");
    }
}

repeated_loss read_repeated(const json_node &node, const metric &m, double realised) {
    const bool adds_up = rules_of(m).adds_up;
    repeated_loss repeated;
    double last = 0;
    for (std::size_t i = 0; i < repeated.counts.size(); ++i) {
        const json_node written = node.at("n").at(std::to_string(repeated.counts[i]).c_str());
        repeated.after[i] = written.decimal_text();
        const double most = adds_up ? repeated.counts[i] * realised : HUGE_VAL;
        if (repeated.after[i].value < last || repeated.after[i].value > most * (1 + tolerance)) {
            written.fail("is not what so many reports can lose");
        }
        last = repeated.after[i].value;
    }
    if (!agree(repeated.after[0].value, realised)) {
        node.at("n").at("1").fail("is not the realised epsilon of the level");
    }
    if (node.at("infinity").is_null()) {
        return repeated;
    }
    repeated.infinity = node.at("infinity").decimal_text();
    if (repeated.infinity->value < last * (1 - tolerance)) {
        node.at("infinity").fail("is less than that of 100 reports");
    }
    return repeated;
}

ladder_level read_level(const json_node &node, const metric &m, const level_law &computed) {
    ladder_level level;
    level.law = computed;
    const bool has_nominal = rules_of(m).has_nominal;
    level.realised = node.at("realised").decimal_text();
    if (has_nominal) {
        level.nominal = node.at("nominal").decimal_text();
        if (level.realised.value > level.nominal->value) {
            node.at("realised").fail("above nominal");
        }
    } else if (!node.at("nominal").is_null()) {
        node.at("nominal").fail("not null");
    }
    read_law(node, m, level.law);
    if (const auto by = mechanism_of(m).channel(m, level.law);
        !has_nominal && by && by->one_if_zero >= by->one_if_one) {
        node.at("probabilities").fail("one_if_zero is not below one_if_one");
    }
    check_realised(node.at("realised"), m, level.law, level.realised.value);
    level.cost = read_cost(node.at("cost"), level.realised);
    if (!has_nominal || mechanism_of(m).remembered(m)) {
        level.repeated = read_repeated(node, m, level.realised.value);
    }
    return level;
}

void read_levels(const json_node &node, metric &m) {
    const std::vector<json_node> nodes = node.elements(1, levels_max);
    const std::vector<level_law> computed = mechanism_of(m).laws(m);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        m.levels.push_back(read_level(nodes[i], m, computed[i]));
        if (i == 0) {
            continue;
        }
        const ladder_level &below = m.levels[i - 1], &level = m.levels[i];
        if (level.nominal && level.nominal->value <= below.nominal->value) {
            nodes[i].at("nominal").fail("does not rise");
        }
        if (level.realised.value <= below.realised.value && level.nominal) {
            nodes[i].at("realised").fail("does not rise");
        }
    }
}

// A joint loss of several levels is no less than that of the highest and no more than their sum.
void check_joint(const json_node &node, const metric &m, double joint, double highest, double sum) {
    const double within = rules_of(m).tolerance;
    if (rules_of(m).is_chain && !agree(joint, highest, within)) {
        node.fail("is not the realised epsilon of the highest level");
    }
    if (joint < highest * (1 - within) || joint > sum * (1 + within)) {
        node.fail("is not between the realised epsilon of the highest level and the sum of all");
    }
}

// Reports of two levels lose no less than those of either, and no more than all on their own.
void read_counts(const json_node &node, const metric &m, level_pair &pair) {
    constexpr std::uint32_t rows_max = 64;
    for (const json_node &row : node.elements(1, rows_max)) {
        const std::vector<json_node> counts = row.at("counts").elements(2, 2);
        const level_pair::reports row_counts = {counts[0].integer(1, UINT32_MAX),
                                                counts[1].integer(1, UINT32_MAX),
                                                row.at("joint").decimal_text()};
        const double low = m.levels[pair.low].realised.value;
        const double high = m.levels[pair.high].realised.value;
        if (row_counts.joint.value < std::max(low, high) * (1 - tolerance) ||
            row_counts.joint.value >
                (row_counts.low * low + row_counts.high * high) * (1 + tolerance)) {
            row.at("joint").fail("is not what so many reports can lose");
        }
        pair.of_counts.push_back(row_counts);
    }
}

void read_joints(const json_node &node, metric &m) {
    double highest = 0, sum = 0;
    for (const ladder_level &level : m.levels) {
        highest = std::max(highest, level.realised.value);
        sum += level.realised.value;
    }
    m.joint = node.at("joint").decimal_text();
    check_joint(node.at("joint"), m, m.joint.value, highest, sum);
    m.joint_cost =
        node.has("joint_cost") ? read_cost(node.at("joint_cost"), m.joint) : m.levels.back().cost;

    if (node.has("ladder")) {
        m.repeated = read_repeated(node.at("ladder"), m, m.joint.value);
    }
    const std::size_t count = m.levels.size() * (m.levels.size() - 1) / 2;
    const std::vector<json_node> pairs = node.at("pairs").elements(count, count);
    std::size_t at = 0;
    for (std::uint32_t low = 0; low < m.levels.size(); ++low) {
        for (std::uint32_t high = low + 1; high < m.levels.size(); ++high, ++at) {
            const std::vector<json_node> levels = pairs[at].at("levels").elements(2, 2);
            (void)levels[0].integer(low, low);
            (void)levels[1].integer(high, high);
            m.pairs.push_back({low, high, pairs[at].at("joint").decimal_text(), {}});
            const double a = m.levels[low].realised.value, b = m.levels[high].realised.value;
            check_joint(pairs[at].at("joint"), m, m.pairs.back().joint.value, std::max(a, b),
                        a + b);
            if (pairs[at].has("reports")) {
                read_counts(pairs[at].at("reports"), m, m.pairs.back());
            }
        }
    }
}

void read_forward(const json_node &node, metric &m) {
    const std::vector<json_node> nodes = node.elements(0, levels_max - m.levels.size());
    const mechanism &how = mechanism_of(m);
    if (!nodes.empty() && !rules_of(m).has_forward) {
        node.fail("not possible for " + m.mechanism_name);
    }
    level_law last = m.levels.back().law;
    double nominal = m.levels.back().nominal ? m.levels.back().nominal->value : 0;
    for (const json_node &step : nodes) {
        forward_level level;
        level.fingerprint = step.at("fingerprint").fingerprint();
        level.realised = step.at("realised").decimal_text();
        level.joint = step.at("joint").decimal_text();
        level.table = how.read_forward(step.at("table"), last);
        if (!m.forward.empty() && m.forward[0].table.index() != level.table.index()) {
            step.at("table").fail("is of another kind than that of the first level");
        }
        level.law = how.next_law(m, level.table, last);
        if (step.has("probabilities")) {
            read_law(step, m, level.law);
        }
        if (rules_of(m).has_nominal) {
            level.nominal = step.at("nominal").decimal_text();
            if (level.nominal->value <= nominal) {
                step.at("nominal").fail("does not rise");
            }
            if (level.realised.value > level.nominal->value) {
                step.at("realised").fail("above nominal");
            }
            nominal = level.nominal->value;
        } else {
            level.repeated = read_repeated(step, m, level.realised.value);
            level.repeated_joint = read_repeated(step.at("ladder"), m, level.joint.value);
        }
        check_realised(step.at("realised"), m, level.law, level.realised.value);
        if (level.joint.value < level.realised.value) {
            step.at("joint").fail("below realised");
        }
        last = level.law;
        m.forward.push_back(std::move(level));
    }
}

} // namespace

void read_ladder(const json_node &node, metric &m) {
    read_levels(node.at("levels"), m);
    read_joints(node, m);
    read_forward(node.at("forward"), m);
}

} // namespace sotto::aggregator
