// SPDX-License-Identifier: Apache-2.0
// Formats by themselves: JSON as it is laid out, the fields of a row, and who has which answer.
#include "aggregator/base/failure.hpp"
#include "aggregator/program/formats.hpp"
#include "aggregator/text/fields.hpp"
#include "aggregator/text/json_layout.hpp"
#include "support.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

using names = std::vector<std::string>;

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
    EXPECT_EQ(json_text(0.1), "0.1");
    EXPECT_EQ(json_text(std::uint64_t{0xffffffffffffffff}), "18446744073709551615");
    EXPECT_EQ(json_text(HUGE_VAL) + json_text(std::nan("")), "nullnull");
    EXPECT_EQ(json_text("a\"b\\c\n\x01"), R"("a\"b\\c\n\u0001")");
    EXPECT_EQ(json_text("\xff"), "\"\xef\xbf\xbd\"");
}

TEST(Formats, AreListedOnce) {
    EXPECT_EQ(format_names(&output_format::estimates), (names{"table", "csv", "json", "html"}));
    EXPECT_EQ(format_names(&output_format::joint), (names{"table", "csv", "json"}));
    EXPECT_EQ(format_names(&output_format::plan), (names{"table", "json"}));
    EXPECT_EQ(format_names(&output_format::epsilon), (names{"table", "json"}));
    for (const output_format *one : all_formats()) {
        EXPECT_EQ(&format_of(one->name), one);
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
    row.of = &m;
    std::string header;
    for (const field &one : fields_of(row)) {
        header += (header.empty() ? "" : ",") + std::string(one.name);
    }
    const std::string csv = csv_format.estimates({{}, {}, {}, {}});
    EXPECT_EQ(csv, header + "\n");
}

} // namespace
} // namespace sotto::aggregator::test
