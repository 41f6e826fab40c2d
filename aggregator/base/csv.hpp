// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_CSV_HPP
#define SOTTO_AGGREGATOR_BASE_CSV_HPP

#include "aggregator/base/file.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sotto::aggregator {

// RFC 4180, strictly: commas, quotes that double, lines that end in LF or CRLF, any text inside
// quotes. The first line is the header, every row has as many fields; a byte order mark is skipped.
class csv_file {
  public:
    // Reads the header. Errors: see fail_input; usage_error "path: row N (line N): what".
    explicit csv_file(const std::string &path);

    const std::vector<std::string> &header() const noexcept { return header_; }
    // Replaces `fields` by the next row's; false at the end. Errors: as above.
    bool next(std::vector<std::string> &fields);

    // The row that next() read last: rows count from 1 behind the header, lines from 1 with it.
    std::uint64_t row() const noexcept { return row_; }
    [[noreturn]] void fail(const std::string &what) const;

    // Bytes that the rows so far took.
    std::uint64_t read_bytes() const noexcept { return read_bytes_ - (filled_ - at_); }
    std::uint64_t size_bytes() const noexcept { return file_.size_bytes(); }

  private:
    static constexpr int end = -1;

    int get();
    int peek();
    bool read_record(std::vector<std::string> &fields);
    int read_field(std::string &field);
    int read_quoted(std::string &field);
    void take(std::string &field, int c);

    input_file file_;
    std::array<char, 1 << 16> buffer_;
    std::size_t at_ = 0, filled_ = 0;
    std::uint64_t read_bytes_ = 0, row_ = 0, line_ = 1, row_line_ = 1;
    std::vector<std::string> header_;
};

} // namespace sotto::aggregator
#endif
