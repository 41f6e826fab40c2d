// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/row.hpp"
#include "tables.hpp"

#include <algorithm>

namespace sotto::python {

using namespace aggregator;

namespace {

// A value's column: an index, a number, as many bits as the metric has, or a list of numbers.
std::string value_format(const metric &m) {
    switch (m.kind()) {
    case value_kind::index:
        return "I";
    case value_kind::number:
        return "i";
    case value_kind::bits:
        return "w:" + std::to_string(m.value_bytes());
    case value_kind::numbers:
        break;
    }
    return "+L";
}

std::vector<std::int32_t> numbers_of(row_view row, const metric &m) {
    // A device may send fewer: the field of the cohort says how many.
    const std::uint32_t sent = cohort_of(row), size = m.value_size();
    std::vector<std::int32_t> numbers(sent > 0 ? std::min(sent, size) : size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = number_of(row, i);
    }
    return numbers;
}

void add_value(column_writer &values, row_view row, const metric &m) {
    switch (m.kind()) {
    case value_kind::index:
        values.add(index_of(row));
        return;
    case value_kind::number:
        values.add(number_of(row));
        return;
    case value_kind::bits:
        values.add_bytes(value_of(row).data(), m.value_bytes());
        return;
    case value_kind::numbers:
        values.add_numbers(numbers_of(row, m));
        return;
    }
}

} // namespace

column row_table(const store &from, const metric &m, std::optional<std::uint32_t> only) {
    column_writer epoch("epoch", "I"), release("release", "L"), level("level", "I"),
        cohort("cohort", "I"), value("value", value_format(m));
    std::int64_t rows = 0;
    for (const segment &part : from.segments(m)) {
        const row_range stored = part.rows();
        for (std::size_t i = 0; i < stored.size(); ++i) {
            const row_view row = stored[i];
            if (only && epoch_of(row) != *only) {
                continue;
            }
            epoch.add(epoch_of(row));
            release.add(hash_of(row));
            level.add(std::uint32_t{level_of(row)});
            cohort.add(cohort_of(row));
            add_value(value, row, m);
            ++rows;
        }
    }
    return table_of({epoch.take(), release.take(), level.take(), cohort.take(), value.take()},
                    rows);
}

} // namespace sotto::python
