// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"

#include <charconv>
#include <utility>

namespace sotto::python {
namespace {

bool has_offsets(const std::string &format) { return format == "U" || format == "+L"; }

std::size_t bytes_of_value(const std::string &format) {
    if (format == "i" || format == "I" || format == "tdD") {
        return 4;
    }
    if (format == "L" || format == "g") {
        return 8;
    }
    std::size_t width = 0;
    if (format.starts_with("w:")) {
        std::from_chars(format.data() + 2, format.data() + format.size(), width);
    }
    return width;
}

} // namespace

column_writer::column_writer(std::string name, std::string format)
    : zeros_(bytes_of_value(format)) {
    made_.name = std::move(name);
    made_.format = std::move(format);
    made_.buffers.resize(made_.format == "U" ? 3 : 2);
    if (has_offsets(made_.format)) {
        put_offset(0);
    }
    if (made_.format == "+L") {
        made_.children.push_back(column{"item", "i", 0, 0, {{}, {}}, {}});
    }
}

void column_writer::append(std::size_t buffer, const void *bytes, std::size_t size) {
    const auto *first = static_cast<const std::uint8_t *>(bytes);
    made_.buffers[buffer].insert(made_.buffers[buffer].end(), first, first + size);
}

void column_writer::put_bit(std::size_t buffer, bool bit) {
    std::vector<std::uint8_t> &bits = made_.buffers[buffer];
    const auto at = static_cast<std::size_t>(made_.length);
    bits.resize(at / 8 + 1);
    bits[at / 8] = static_cast<std::uint8_t>(bits[at / 8] | unsigned{bit} << at % 8);
}

void column_writer::put_offset(std::size_t end) {
    const auto offset = static_cast<std::int64_t>(end);
    append(1, &offset, sizeof offset);
}

void column_writer::count(bool is_there) {
    put_bit(0, is_there);
    ++made_.length;
    made_.nulls += is_there ? 0 : 1;
}

void column_writer::add_nothing() {
    if (made_.format == "b") {
        put_bit(1, false);
    } else if (made_.format == "U") {
        put_offset(made_.buffers[2].size());
    } else if (made_.format == "+L") {
        put_offset(static_cast<std::size_t>(made_.children.front().length));
    } else {
        made_.buffers[1].resize(made_.buffers[1].size() + zeros_);
    }
    count(false);
}

void column_writer::add_bit(bool bit) {
    put_bit(1, bit);
    count(true);
}

void column_writer::add_text(std::string_view text) {
    append(2, text.data(), text.size());
    put_offset(made_.buffers[2].size());
    count(true);
}

void column_writer::add_bytes(const std::uint8_t *bytes, std::size_t size) {
    append(1, bytes, size);
    count(true);
}

void column_writer::add_numbers(const std::vector<std::int32_t> &numbers) {
    column &items = made_.children.front();
    const auto *first = reinterpret_cast<const std::uint8_t *>(numbers.data());
    items.buffers[1].insert(items.buffers[1].end(), first, first + 4 * numbers.size());
    items.length += static_cast<std::int64_t>(numbers.size());
    put_offset(static_cast<std::size_t>(items.length));
    count(true);
}

column table_of(std::vector<column> columns, std::int64_t rows) {
    return {"", "+s", rows, 0, {{}}, std::move(columns)};
}

} // namespace sotto::python
