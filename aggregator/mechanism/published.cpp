// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/published.hpp"

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

bool is_long(const published_values &values) {
    return values.kind == value_kind::bits || values.kind == value_kind::numbers;
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

std::uint32_t report_bytes_of(const published_values &values, std::uint32_t metric_id,
                              bool level_is_named) {
    constexpr std::size_t release = 10, fixed32 = 5;
    const std::size_t value = is_long(values) ? delimited(value_bytes_of(values)) : fixed32;
    const std::size_t level = level_is_named ? 2 : 0;
    const std::size_t cohort = values.names_cohort ? fixed32 : 0;
    return static_cast<std::uint32_t>(
        delimited(release + 1 + varint_bytes(metric_id) + level + cohort + value));
}

} // namespace sotto::aggregator
