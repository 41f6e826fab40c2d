// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/epsilon_accuracy.hpp"

#include "aggregator/estimate/next_level.hpp"
#include "aggregator/estimate/rows.hpp"

#include "sotto/registry.h"

#include <cmath>

namespace sotto::aggregator {
namespace {

// A string's bits stand out of the others' density d by a sum of squares of bits d (1 - d); each is
// reported as one with probability P = p* + d (q* - p*) (estimate/rappor.hpp).
double string_error(const rappor_table &table, const level_law &law, double reports) {
    const double density = 1 - std::pow(1 - 1.0 / table.bits, table.hashes);
    const double gain = law.one_if_one - law.one_if_zero;
    const double one = law.one_if_zero + density * gain;
    return std::sqrt(one * (1 - one) / (reports * table.bits * density * (1 - density))) / gain;
}

double middle(const metric &m) {
    if (const auto *t = std::get_if<discrete_laplace_table>(&m.table)) {
        return (static_cast<double>(t->min) + t->max) / 2;
    }
    const auto &t = std::get<one_bit_mean_table>(m.table);
    return (static_cast<double>(t.min) + t.max) / 2;
}

std::size_t varint_bytes(std::size_t number) {
    std::size_t bytes = 1;
    for (; number >= 128; number /= 128) {
        ++bytes;
    }
    return bytes;
}

std::size_t delimited(std::size_t bytes) { return 1 + varint_bytes(bytes) + bytes; }

} // namespace

double expected_error(const metric &m, std::size_t level, std::uint64_t reports) {
    const auto n = static_cast<double>(reports);
    if (m.mechanism == SOTTO_MECHANISM_RAPPOR) {
        return string_error(std::get<rappor_table>(m.table), m.law(level), n);
    }
    estimated found;
    found.reports = reports;
    if (is_mean(m)) {
        found.value = middle(m);
        return std_error_at(m, level, found).value_or(0);
    }
    return std_error_at(m, level, found).value_or(0) / n;
}

const char *estimand(const metric &m) {
    switch (m.type) {
    case SOTTO_TYPE_BOOLEAN:
        return "share of true";
    case SOTTO_TYPE_CATEGORY:
        return "share of a category";
    case SOTTO_TYPE_SET:
        return "share of a member";
    case SOTTO_TYPE_STRING:
        return "share of a string";
    default:
        return "mean";
    }
}

std::size_t report_bytes(const metric &m) {
    const bool long_value = m.kind() == value_kind::bits || m.kind() == value_kind::numbers;
    const std::size_t value = long_value ? delimited(m.value_bytes()) : 5;
    const std::size_t level = m.level_count() > 1 ? 2 : 0;
    const std::size_t cohort = m.mechanism == SOTTO_MECHANISM_RAPPOR ? 5 : 0;
    return delimited(10 + 1 + varint_bytes(m.id) + level + cohort + value);
}

} // namespace sotto::aggregator
