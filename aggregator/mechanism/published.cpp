// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/published.hpp"

#include <bit>

namespace sotto::aggregator {
namespace {

std::size_t varint_bytes(std::size_t number) {
    std::size_t bytes = 1;
    for (; number >= 128; number /= 128) {
        ++bytes;
    }
    return bytes;
}

std::size_t delimited(std::size_t bytes) { return 1 + varint_bytes(bytes) + bytes; }

constexpr unsigned row_count_bits = 16;

// Bits that tell so many values apart, 1 at least.
unsigned bits_for(std::uint32_t values) {
    return values <= 2 ? 1 : static_cast<unsigned>(std::bit_width(values - 1));
}

} // namespace

std::size_t value_bytes_of(const published_values &values) {
    switch (values.kind) {
    case value_kind::bits:
        return (values.size + 7) / 8;
    case value_kind::numbers:
        return std::size_t{4} * values.size;
    case value_kind::index:
    case value_kind::number:
        break;
    }
    return 4;
}

std::uint8_t unused_bits_of(const published_values &values) {
    return static_cast<std::uint8_t>(values.size % 8 == 0 ? 0 : 0xff << values.size % 8);
}

std::uint32_t value_words_of(const published_values &values) {
    return static_cast<std::uint32_t>((value_bytes_of(values) + 3) / 4);
}

value_layout layout_of(const published_values &values) {
    value_layout layout{.kind = values.kind};
    layout.cohort_bits = values.names_cohort ? bits_for(values.cohorts) : 0;
    if (values.may_be_fewer) {
        layout.index_bits = row_count_bits;
    } else if (values.kind == value_kind::index) {
        layout.index_bits = bits_for(values.size);
    } else {
        layout.bytes = value_bytes_of(values);
    }
    return layout;
}

std::uint32_t report_bytes_of(const published_values &values, std::uint32_t metric_id,
                              bool is_level_again) {
    constexpr std::size_t seed = 9, release = 10, level_and_flags = 6;
    const value_layout layout = layout_of(values);
    const std::size_t rows = values.may_be_fewer ? value_bytes_of(values) : 0;
    const std::size_t value =
        (layout.cohort_bits + layout.index_bits + 7) / 8 + layout.bytes + rows;
    return static_cast<std::uint32_t>((is_level_again ? release + level_and_flags : seed) +
                                      delimited(varint_bytes(metric_id)) + delimited(value));
}

} // namespace sotto::aggregator
