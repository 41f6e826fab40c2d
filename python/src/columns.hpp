// SPDX-License-Identifier: Apache-2.0
// Columns in memory as Arrow lays them out.
#ifndef SOTTO_PYTHON_COLUMNS_HPP
#define SOTTO_PYTHON_COLUMNS_HPP

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::python {

// A column, or, with columns in it, a table. The formats are Arrow's: "b" boolean, "i" int32, "I"
// uint32, "L" uint64, "g" float64, "tdD" day, "U" text, "w:N" N bytes, "+L" list, "+s" table.
struct column {
    std::string name, format;
    std::int64_t length = 0, nulls = 0;
    // The bits of what is there first; empty: all is.
    std::vector<std::vector<std::uint8_t>> buffers = {};
    std::vector<column> children = {};
};

// Fills a column from its first value to its last.
class column_writer {
  public:
    column_writer(std::string name, std::string format);

    void add_nothing();
    void add_bit(bool bit);
    void add_text(std::string_view text);
    void add_bytes(const std::uint8_t *bytes, std::size_t size); // as wide as the format says
    void add_numbers(const std::vector<std::int32_t> &numbers);  // a list
    template <typename Number> void add(Number number) {
        append(1, &number, sizeof number);
        count(true);
    }

    column take() { return std::move(made_); }

  private:
    void append(std::size_t buffer, const void *bytes, std::size_t size);
    void put_bit(std::size_t buffer, bool bit);
    void put_offset(std::size_t end);
    void count(bool is_there);

    column made_;
    std::size_t zeros_ = 0; // bytes of a value that is not there
};

// Columns of one length.
column table_of(std::vector<column> columns, std::int64_t rows);

} // namespace sotto::python
#endif
