// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/epsilon_accuracy.hpp"

#include "aggregator/estimate/next_level.hpp"
#include "aggregator/estimate/rappor.hpp"
#include "aggregator/estimate/rows.hpp"

#include "mechanism/ladder.hpp"
#include "mechanism/one_bit_mean.hpp"
#include "mechanism/rappor.hpp"
#include "sotto/sotto.h"

namespace sotto::aggregator {
namespace {

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
        const auto &t = std::get<rappor_table>(m.table);
        const level_law &law = m.law(level);
        return expected_share_error({law.one_if_zero, law.one_if_one},
                                    {t.bits, t.hashes, t.cohorts}, n, 0);
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

std::size_t release_random_bytes(const sotto_metric &m) {
    std::size_t word = 0;
    for (std::uint32_t level = 0; level < m.level_count; ++level) {
        word += level_bytes(m, level);
        if (is_rappor(m)) {
            word += bernoulli_lanes_bytes(m.table.rappor->instantaneous[level]);
        }
    }
    for (std::uint32_t step = 0; step < m.forward_count; ++step) {
        word += forward_bytes(m, step);
    }
    const std::size_t rounding = m.type == SOTTO_TYPE_MEAN ? one_bit_mean_bytes : 0;
    return SOTTO_SEED_BYTES + SOTTO_RELEASE_ID_BYTES + rounding + m.value_words * word;
}

} // namespace sotto::aggregator
