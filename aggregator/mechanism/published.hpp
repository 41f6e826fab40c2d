// SPDX-License-Identifier: Apache-2.0
// Values on the wire and their lengths: the aggregator's only place that knows (WIRE.md).
#ifndef SOTTO_AGGREGATOR_MECHANISM_PUBLISHED_HPP
#define SOTTO_AGGREGATOR_MECHANISM_PUBLISHED_HPP

#include <cstddef>
#include <cstdint>

namespace sotto::aggregator {

// How a noised value crosses the wire.
enum class value_kind : std::uint8_t { index, number, bits, numbers };

// The values that a metric can publish.
struct published_values {
    value_kind kind = value_kind::index;
    std::uint32_t size = 2;        // `index`: how many there are; `bits`, `numbers`: the length
    std::uint32_t values = 0;      // `index`: true ones, where they are fewer than answers; else 0
    std::uint32_t max_members = 1; // bits that a true value has, at most
    std::uint32_t cohorts = 1;
    bool names_cohort = false;        // each report says which
    std::int32_t least = 0, most = 0; // `numbers`: the ends of their range
    bool may_be_fewer = false;        // numbers: from the first on, at least one
};

// A stored or published value: 4 for index and number, a byte for eight bits, 4 for a number of
// `numbers`.
std::size_t value_bytes_of(const published_values &values);
// Bits of the last byte that are no bits of a value.
std::uint8_t unused_bits_of(const published_values &values);

// A value in its column: the cohort, then an index, or the number of rows, then whole bytes.
struct value_layout {
    value_kind kind = value_kind::index;
    unsigned cohort_bits = 0, index_bits = 0;
    std::size_t bytes = 0; // rows: a number each
};
value_layout layout_of(const published_values &values);

// The length of a value in the words of a device's state.
std::uint32_t value_words_of(const published_values &values);

// A batch of this report alone, without its epoch and padding; `is_level_again`: of a level above
// the first, and its release has an id. A plan has no device to ask, so the host counts, as the
// registry compiler does (tools/registry/wire_size.py). Both are held to the same reports in
// tests/vectors.
std::uint32_t report_bytes_of(const published_values &values, std::uint32_t metric_id,
                              bool is_level_again);

} // namespace sotto::aggregator
#endif
