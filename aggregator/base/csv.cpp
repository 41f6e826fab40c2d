// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/csv.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::size_t field_bytes_max = 1 << 20;
constexpr std::size_t fields_max = 1 << 16;

bool ends_field(int c) { return c == ',' || c == '\n' || c < 0; }

} // namespace

csv_file::csv_file(const std::string &path) : file_(path) {
    if (peek() != end && std::string_view(buffer_.data(), filled_).starts_with("\xef\xbb\xbf")) {
        at_ = 3;
    }
    if (!read_record(header_)) {
        throw usage_error(path + ": empty; the first line must name the columns");
    }
}

bool csv_file::next(std::vector<std::string> &fields) {
    row_line_ = line_;
    ++row_;
    if (!read_record(fields)) {
        --row_;
        return false;
    }
    if (fields.size() != header_.size()) {
        fail(fmt::format("{}, but the header has {}", counted(fields.size(), "field"),
                         header_.size()));
    }
    return true;
}

void csv_file::fail(const std::string &what) const {
    const std::string where = row_ == 0 ? "header" : "row " + grouped(row_);
    throw usage_error(
        fmt::format("{}: {} (line {}): {}", file_.path(), where, grouped(row_line_), what));
}

int csv_file::peek() {
    if (at_ == filled_) {
        at_ = 0;
        filled_ = file_.read(buffer_);
        read_bytes_ += filled_;
        if (filled_ == 0) {
            return end;
        }
    }
    return static_cast<unsigned char>(buffer_[at_]);
}

int csv_file::get() {
    const int c = peek();
    if (c != end) {
        ++at_;
        line_ += c == '\n';
    }
    return c;
}

bool csv_file::read_record(std::vector<std::string> &fields) {
    if (peek() == end) {
        return false;
    }
    for (std::size_t count = 0;; ++count) {
        if (count == fields_max) {
            fail(fmt::format("more than {} fields", grouped(fields_max)));
        }
        if (count == fields.size()) {
            fields.emplace_back();
        }
        fields[count].clear();
        if (read_field(fields[count]) != ',') {
            fields.resize(count + 1);
            return true;
        }
    }
}

// Answers what ended the field: ',', '\n' or the end.
int csv_file::read_field(std::string &field) {
    if (peek() == '"') {
        return read_quoted(field);
    }
    for (;;) {
        const int c = get();
        if (c == '\r' && (peek() == '\n' || peek() == end)) {
            return get();
        }
        if (ends_field(c)) {
            return c;
        }
        if (c == '"' || c == '\r') {
            fail(c == '"' ? "a quote inside a field that does not begin with one"
                          : "a carriage return without a line feed");
        }
        take(field, c);
    }
}

int csv_file::read_quoted(std::string &field) {
    (void)get();
    for (;;) {
        int c = get();
        if (c == end) {
            fail("the file ends inside quotes");
        }
        if (c != '"') {
            take(field, c);
        } else if (peek() == '"') {
            take(field, get());
        } else {
            c = get();
            if (c == '\r') {
                c = get();
                if (c == ',') {
                    fail("a carriage return without a line feed");
                }
            }
            if (!ends_field(c)) {
                fail("text after a closing quote");
            }
            return c;
        }
    }
}

void csv_file::take(std::string &field, int c) {
    if (field.size() == field_bytes_max) {
        fail("a field larger than " + bytes_text(field_bytes_max));
    }
    field += static_cast<char>(c);
}

} // namespace sotto::aggregator
