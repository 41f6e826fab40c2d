// SPDX-License-Identifier: Apache-2.0
// Formats by themselves: JSON as it is laid out, the fields of a row, and who has which answer.
#include "aggregator/base/failure.hpp"
#include "aggregator/base/json_layout.hpp"
#include "aggregator/program/formats.hpp"
#include "aggregator/text/fields.hpp"
#include "aggregator/text/remark_words.hpp"
#include "aggregator/text/row_remarks.hpp"
#include "support.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace sotto::aggregator::test {
namespace {

using word_list = std::vector<std::string>;

TEST(JsonText, IsOneLineUnlessItIsToBeBroken) {
    const json_value value = {{"a", 1}, {"b", {{"c", json_value::array({1, 2})}, {"d", nullptr}}}};
    EXPECT_EQ(json_text(value), R"({"a": 1, "b": {"c": [1, 2], "d": null}})");
    EXPECT_EQ(json_text(value, 1), "{\n  \"a\": 1,\n  \"b\": {\"c\": [1, 2], \"d\": null}\n}");
    EXPECT_EQ(json_text(value.at("b"), 9), "{\n  \"c\": [1, 2],\n  \"d\": null\n}");
    EXPECT_EQ(json_text(json_value::array(), 9), "[]");
    EXPECT_EQ(json_text(json_value::object()), "{}");
}

// As short as it reads back, an integer without a point; a text that is no UTF-8 is one all the
// same.
TEST(JsonText, KeepsNumbersAndTexts) {
    for (const double number : {2.0, 0.1, 1e-300, 1.0986122886681098, 1e15, 0x1p-20}) {
        EXPECT_EQ(std::stod(json_text(number)), number);
    }
    EXPECT_EQ(json_text(2.0), "2");
    EXPECT_EQ(json_text(exact_number("0.510825623765990683205514096304")),
              "0.510825623765990683205514096304");
    EXPECT_EQ(json_text(0.1), "0.1");
    EXPECT_EQ(json_text(std::uint64_t{0xffffffffffffffff}), "18446744073709551615");
    EXPECT_EQ(json_text(HUGE_VAL) + json_text(std::nan("")), "nullnull");
    EXPECT_EQ(json_text("a\"b\\c\n\x01"), R"("a\"b\\c\n\u0001")");
    EXPECT_EQ(json_text("\xff"), "\"\xef\xbf\xbd\"");
}

TEST(Formats, AreListedOnce) {
    EXPECT_EQ(format_names(&output_format::estimates), (word_list{"table", "csv", "json", "html"}));
    EXPECT_EQ(format_names(&output_format::joint), (word_list{"table", "csv", "json"}));
    EXPECT_EQ(format_names(&output_format::plan), (word_list{"table", "json"}));
    EXPECT_EQ(format_names(&output_format::schedule), (word_list{"table", "csv", "json"}));
    EXPECT_EQ(format_names(&output_format::epsilon), (word_list{"table", "json"}));
    for (const output_format *format : all_formats()) {
        EXPECT_EQ(&format_of(format->name), format);
    }
    try {
        (void)format_of("xml");
        ADD_FAILURE() << "no xml";
    } catch (const usage_error &e) {
        EXPECT_STREQ(e.what(), "--format: no \"xml\"; there are table, csv, json, html");
    }
}

// A line of CSV has a field for each column, in the order of an object's members.
TEST(Formats, HaveTheSameFields) {
    metric m;
    m.name = "m";
    m.table = randomized_response_table();
    estimate_row row;
    row.subject = &m;
    std::string header;
    for (const field &f : fields_of(row, json_value::array())) {
        header += (header.empty() ? "" : ",") + std::string(f.name);
    }
    const std::string csv = csv_format.estimates({{}, {}, {}, {}});
    EXPECT_EQ(csv, header + "\n");
}

// A remark on another metric or epoch is on another row; one on all is on every row.
TEST(Remarks, AreOnTheirRows) {
    metric m, other;
    m.table = other.table = randomized_response_table();
    estimates found;
    for (const std::uint32_t epoch : {3u, 4u}) {
        estimate_row row;
        row.subject = &m;
        row.epoch = epoch;
        row.result = {500'000, 500, 1'000'000};
        found.rows.push_back(row);
    }
    const impossible_counts doubt = {2, 24};
    found.remarks = {{&m, 4, doubt},
                     {&m, 4, doubt}, // none comes twice
                     {&m, {}, selected_weighted{7, 4}},
                     {&other, 4, differing_levels{}},
                     {nullptr, {}, discovery_cost{"m", 2, 1.5, HUGE_VAL}}};
    const row_remarks remarks(found);
    const std::string on_all =
        R"({"kind": "discovery_cost", "metrics": 2, "epsilon": 1.5, "epsilon_forever": null}, )"
        R"({"kind": "selected_weighted", "releases": 7, "weight": 4})";
    EXPECT_EQ(json_text(remarks.on(found.rows[0])), "[" + on_all + "]");
    EXPECT_EQ(json_text(remarks.on(found.rows[1])),
              "[" + on_all + R"(, {"kind": "impossible_counts", "impossible": 2, "counts": 24}])");
    const std::string csv = csv_format.estimates({found, {}, {}, {}});
    EXPECT_NE(csv.find(",discovery_cost;selected_weighted;impossible_counts\n"), std::string::npos)
        << csv;
    // The same in words: doubts first, and what is on no metric after those that are.
    const word_list lines = remark_lines(found);
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0], ": 2 of 24 counts are beyond what honest devices send");
    EXPECT_EQ(lines[3], "a device that reports a text to all 2 of these loses at most epsilon 1.5 "
                        "once");
}

// A kind is a column's word: short, of its own, without a separator.
template <std::size_t... Index> word_list kinds_of(std::index_sequence<Index...>) {
    return {std::variant_alternative_t<Index, remark_content>::kind...};
}

TEST(Remarks, HaveAKindOfTheirOwn) {
    const word_list kinds =
        kinds_of(std::make_index_sequence<std::variant_size_v<remark_content>>());
    EXPECT_EQ(std::set<std::string>(kinds.begin(), kinds.end()).size(), kinds.size());
    for (const std::string &kind : kinds) {
        EXPECT_EQ(kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << kind;
    }
}

} // namespace
} // namespace sotto::aggregator::test
