// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/csv.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/candidates.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

using table = std::vector<std::vector<std::string>>;

table read(const std::string &text) {
    const temporary_directory directory;
    csv_file file(directory.file("t.csv", text));
    table rows = {file.header()};
    for (std::vector<std::string> fields; file.next(fields);) {
        rows.push_back(fields);
    }
    return rows;
}

std::string complaint(const std::string &text) {
    try {
        (void)read(text);
    } catch (const usage_error &error) {
        const std::string line = error.what();
        return line.substr(line.find("t.csv: ") + 7);
    }
    return "accepted";
}

TEST(Csv, ReadsRfc4180) {
    EXPECT_EQ(read("a,b\n1,2\n"), (table{{"a", "b"}, {"1", "2"}}));
    EXPECT_EQ(read("a,b\r\n1,2"), (table{{"a", "b"}, {"1", "2"}}));
    EXPECT_EQ(read("a,b\n1,2\r"), (table{{"a", "b"}, {"1", "2"}}));
    EXPECT_EQ(read("a,b\n,\n"), (table{{"a", "b"}, {"", ""}}));
    EXPECT_EQ(read("a\n\n"), (table{{"a"}, {""}}));
    EXPECT_EQ(read("\"a,\r\nb\",c\r\n\"say \"\"no\"\"\",\"\"\r\n"),
              (table{{"a,\r\nb", "c"}, {"say \"no\"", ""}}));
    EXPECT_EQ(read("\xef\xbb\xbf\"a\",b\n1,2\n"), (table{{"a", "b"}, {"1", "2"}}));
    EXPECT_EQ(read("a\n"), (table{{"a"}}));
}

TEST(Csv, ReadsPastItsBuffer) {
    const std::string big(200'000, 'x');
    EXPECT_EQ(read("a,b\n\"" + big + "\"\"\",1\n"), (table{{"a", "b"}, {big + "\"", "1"}}));
}

TEST(Csv, SaysWhere) {
    EXPECT_EQ(complaint(""), "empty; the first line must name the columns");
    EXPECT_EQ(complaint("a,b\n1,2\n3\n"), "row 2 (line 3): 1 field, but the header has 2");
    EXPECT_EQ(complaint("a,b\n\"1\n\",2\n\n"), "row 2 (line 4): 1 field, but the header has 2");
    EXPECT_EQ(complaint("a\n1\"\n"),
              "row 1 (line 2): a quote inside a field that does not begin with one");
    EXPECT_EQ(complaint("a\n\"1\"2\n"), "row 1 (line 2): text after a closing quote");
    EXPECT_EQ(complaint("a\n\"1\n2"), "row 1 (line 2): the file ends inside quotes");
    EXPECT_EQ(complaint("a\n1\r2\n"), "row 1 (line 2): a carriage return without a line feed");
    EXPECT_EQ(complaint("\"a\"b\n"), "header (line 1): text after a closing quote");
    EXPECT_EQ(complaint("a\n" + std::string(1'100'000, 'x')),
              "row 1 (line 2): a field larger than 1.0 MB");
}

// Each takes memory in every cohort.
TEST(Candidates, AreAMillionAtMost) {
    const temporary_directory directory;
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) {
        text += std::to_string(i) + '\n';
    }
    EXPECT_EQ(read_candidates(directory.file("c.txt", text)).strings.size(), 1'000'000u);
    try {
        (void)read_candidates(directory.file("c.txt", text + "one more"));
        ADD_FAILURE() << "one more is accepted";
    } catch (const usage_error &error) {
        EXPECT_NE(std::string(error.what()).find("more than 1,000,000 candidates"),
                  std::string::npos)
            << error.what();
    }
}

} // namespace
} // namespace sotto::aggregator::test
