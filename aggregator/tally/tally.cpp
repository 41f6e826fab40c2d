// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/tally.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/mechanism/mechanism.hpp"

namespace sotto::aggregator {
namespace {

// Indices by cohort, where reports name one.
bool count_index(level_tally &at, std::uint32_t cohort, const published_values &published,
                 std::span<const std::uint8_t> value) {
    const auto index = get_big_endian<std::uint32_t>(value.data());
    if (index >= published.size || (cohort > 0 && cohort >= at.cohorts.size())) {
        return false;
    }
    if (published.names_cohort) {
        ++at.cohorts[cohort];
    }
    ++at.ones[std::size_t{cohort} * published.size + index];
    return true;
}

bool count_bits(level_tally &at, std::uint32_t cohort, const published_values &published,
                std::span<const std::uint8_t> value) {
    const std::size_t size = published.size;
    if (cohort >= at.cohorts.size() || (value.back() & unused_bits_of(published)) != 0) {
        return false;
    }
    ++at.cohorts[cohort];
    std::uint64_t *ones = &at.ones[cohort * size];
    for (std::size_t i = 0; i < size; ++i) {
        ones[i] += value[i / 8] >> (i % 8) & 1;
    }
    return true;
}

bool count_numbers(level_tally &at, const published_values &published,
                   std::span<const std::uint8_t> value) {
    const auto number = [&](std::size_t i) {
        return static_cast<std::int32_t>(get_big_endian<std::uint32_t>(&value[4 * i]));
    };
    for (std::size_t i = 0; i < at.numbers.size(); ++i) {
        if (number(i) < published.least || number(i) > published.most) {
            return false;
        }
    }
    for (std::size_t i = 0; i < at.numbers.size(); ++i) {
        at.numbers[i].add(number(i), published.least, published.most);
    }
    return true;
}

// Rows over time; the last `missing` of them did not close.
bool count_rows(level_tally &at, std::size_t missing, std::span<const std::uint8_t> value) {
    const std::size_t classes = value.size() / 4;
    if (missing >= classes) {
        return false;
    }
    for (std::size_t i = 0; i < classes - missing; ++i) {
        const auto number = static_cast<std::int32_t>(get_big_endian<std::uint32_t>(&value[4 * i]));
        at.rows[i * row_sums::sizes + row_sums::size_of(number)].add(number);
    }
    return true;
}

} // namespace

metric_tally empty_tally(const metric &m) {
    const published_values values = mechanism_of(m).published(m);
    level_tally at;
    switch (values.kind) {
    case value_kind::index:
        at.cohorts.resize(values.names_cohort ? values.cohorts : 0);
        at.ones.resize(std::size_t{values.cohorts} * values.size);
        break;
    case value_kind::bits:
        at.cohorts.resize(values.cohorts);
        at.ones.resize(at.cohorts.size() * values.size);
        break;
    case value_kind::number:
    case value_kind::numbers:
        at.numbers.resize(values.may_be_fewer ? 0 : values.size);
        at.rows.resize(values.may_be_fewer ? values.size * row_sums::sizes : 0);
        break;
    }
    return metric_tally(m.level_count(), at);
}

bool count_release(metric_tally &tally, const metric &m, std::uint32_t level, std::uint32_t cohort,
                   std::span<const std::uint8_t> value) {
    const published_values values = mechanism_of(m).published(m);
    if (level >= tally.size() || value.size() != value_bytes_of(values) ||
        (cohort > 0 && !values.names_cohort && !values.may_be_fewer)) {
        return false;
    }
    level_tally &at = tally[level];
    const bool counted = values.kind == value_kind::index  ? count_index(at, cohort, values, value)
                         : values.kind == value_kind::bits ? count_bits(at, cohort, values, value)
                         : values.may_be_fewer             ? count_rows(at, cohort, value)
                                                           : count_numbers(at, values, value);
    at.reports += counted ? 1 : 0;
    return counted;
}

} // namespace sotto::aggregator
