// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/registry.hpp"

#include "sotto/registry.h"

#include <algorithm>

namespace sotto::aggregator {
namespace {

template <typename... Cases> struct cases : Cases... { using Cases::operator()...; };
template <typename... Cases> cases(Cases...) -> cases<Cases...>;

} // namespace

const level_law &metric::law(std::size_t level) const {
    return level < levels.size() ? levels[level].law : forward[level - levels.size()].law;
}

const decimal &metric::realised(std::size_t level) const {
    return level < levels.size() ? levels[level].realised : forward[level - levels.size()].realised;
}

std::optional<std::size_t> metric::parts_from(const metric &other) const {
    const auto same = [](const forward_level &a, const forward_level &b) {
        return a.fingerprint == b.fingerprint && a.table == b.table;
    };
    const std::size_t both = std::min(forward.size(), other.forward.size());
    for (std::size_t i = 0; i < both; ++i) {
        if (!same(forward[i], other.forward[i])) {
            return levels.size() + i;
        }
    }
    return std::nullopt;
}

std::uint32_t metric::cost(std::size_t level, std::uint32_t releases) const {
    return cost_reports == 0 ? costs[level]
                             : costs[level * cost_reports + std::min(releases, cost_reports) - 1];
}

value_kind metric::kind() const {
    return std::visit(cases{[](const unary_table &) { return value_kind::bits; },
                            [](const rappor_table &) { return value_kind::bits; },
                            [&](const discrete_laplace_table &) {
                                return type == SOTTO_TYPE_VECTOR ? value_kind::numbers
                                                                 : value_kind::number;
                            },
                            [](const auto &) { return value_kind::index; }},
                      table);
}

std::uint32_t metric::value_size() const {
    return std::visit(cases{[](const k_randomized_response_table &t) { return t.size; },
                            [](const unary_table &t) { return std::uint32_t{t.size}; },
                            [](const rappor_table &t) { return std::uint32_t{t.bits}; },
                            [](const discrete_laplace_table &t) { return std::uint32_t{t.length}; },
                            [](const auto &) { return std::uint32_t{2}; }},
                      table);
}

std::size_t metric::value_bytes() const {
    switch (kind()) {
    case value_kind::bits:
        return (value_size() + 7) / 8;
    case value_kind::numbers:
        return std::size_t{4} * value_size();
    default:
        return 4;
    }
}

} // namespace sotto::aggregator
