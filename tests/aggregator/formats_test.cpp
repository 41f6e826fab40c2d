// SPDX-License-Identifier: Apache-2.0
// Formats by themselves: JSON as it is laid out, the fields of a row, and who has which answer.
#include "aggregator/base/failure.hpp"
#include "aggregator/base/json_layout.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/program/formats.hpp"
#include "aggregator/text/fields.hpp"
#include "aggregator/text/remark_words.hpp"
#include "aggregator/text/row_remarks.hpp"
#include "support.hpp"

#include <cctype>
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
    EXPECT_EQ(format_names(&output_format::estimates),
              (word_list{"table", "csv", "json", "html", "openmetrics"}));
    EXPECT_EQ(format_names(&output_format::joint), (word_list{"table", "csv", "json"}));
    EXPECT_EQ(format_names(&output_format::plan), (word_list{"table", "json"}));
    EXPECT_EQ(format_names(&output_format::schedule), (word_list{"table", "csv", "json"}));
    EXPECT_EQ(format_names(&output_format::epsilon), (word_list{"table", "json"}));
    EXPECT_EQ(format_names(&output_format::datasheet), (word_list{"json", "html", "md"}));
    for (const output_format *format : all_formats()) {
        EXPECT_EQ(&format_of(format->name), format);
    }
    try {
        (void)format_of("xml");
        ADD_FAILURE() << "no xml";
    } catch (const usage_error &e) {
        EXPECT_STREQ(e.what(), "--format: no \"xml\"; there are table, csv, json, html, md, "
                               "openmetrics");
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
    EXPECT_EQ(csv, header + ",remark_facts\n");
}

// A remark on another metric or epoch is on another row; one on all is on every row. The first row
// also has those that are on no row.
TEST(Remarks, AreOnTheirRows) {
    metric m, other;
    m.table = other.table = randomized_response_table();
    other.name = "o";
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
        R"({"kind": "discovery_cost", "metric": "m", "metrics": 2, "epsilon": 1.5, )"
        R"("epsilon_forever": null}, )"
        R"({"kind": "selected_weighted", "releases": 7, "weight": 4})";
    EXPECT_EQ(json_text(remarks.on(found.rows[0])),
              "[" + on_all + R"(, {"kind": "levels_differ", "at": {"metric": "o", "epoch": 4}}])");
    EXPECT_EQ(json_text(remarks.on(found.rows[1])),
              "[" + on_all + R"(, {"kind": "impossible_counts", "impossible": 2, "counts": 24}])");
    const std::string csv = csv_format.estimates({found, {}, {}, {}});
    EXPECT_NE(csv.find(",discovery_cost;selected_weighted;impossible_counts,\"[{"),
              std::string::npos)
        << csv;
    // In words: doubts first, and what is on no metric after those that are.
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

// Without a row a remark stands by itself, in an object without an estimate.
TEST(Remarks, OfAnAnswerWithoutRowsReachPrograms) {
    metric m;
    m.name = "m";
    estimates found;
    found.remarks = {{nullptr, {}, no_reports_of_epoch{7, {3, 4, 6}, false}}};
    const json_value answer = json_value::parse(json_format.estimates({found, {}, {}, {}}));
    ASSERT_EQ(answer.size(), 1u);
    EXPECT_EQ(answer[0].at("metric"), nullptr);
    EXPECT_EQ(answer[0].at("estimate"), nullptr);
    EXPECT_EQ(answer[0].at("remarks").dump(),
              R"([{"kind":"no_reports_of_epoch","epoch":7,"others":3,"other_runs":[[3,4],[6,6]],)"
              R"("of_these_metrics":false}])");
    const std::string csv = csv_format.estimates({found, {}, {}, {}});
    EXPECT_NE(csv.find("\n,,,,,,,,,,,,,,,,,,,,,,,,,,,no_reports_of_epoch,\"[{\"\"kind\"\": "),
              std::string::npos)
        << csv;
    EXPECT_EQ(json_format.estimates({{}, {}, {}, {}}), "[]\n");
}

// Fills a remark, member by member, with numbers that stand nowhere else, and texts of them.
class distinct_numbers {
  public:
    template <typename Value> Value draw() {
        if constexpr (std::is_same_v<Value, bool>) {
            return true;
        } else if constexpr (std::is_arithmetic_v<Value>) {
            return static_cast<Value>(number());
        } else if constexpr (std::is_same_v<Value, std::string>) {
            return std::to_string(number());
        } else if constexpr (std::is_same_v<Value, named_strings>) {
            return Value(word_list(number(), draw<std::string>()));
        } else if constexpr (std::is_same_v<Value, metric_held>) { // an optional is no plain member
            return {draw<std::string>(), draw<source_registry>(), draw<std::uint64_t>(),
                    draw<std::set<std::uint32_t>>(), draw<std::set<std::uint32_t>>()};
        } else if constexpr (requires { typename Value::value_type; }) {
            return {draw<typename Value::value_type>()};
        } else {
            return members<Value>();
        }
    }

    // Drawn since the last call.
    std::vector<std::uint32_t> taken() { return std::exchange(taken_, {}); }

  private:
    struct member {
        distinct_numbers &from;
        template <typename Value> operator Value() const { return from.draw<Value>(); }
    };

    template <typename Value> Value members() {
        const member m = {*this};
        if constexpr (requires { Value{m, m, m, m}; }) {
            return Value{m, m, m, m};
        } else if constexpr (requires { Value{m, m, m}; }) {
            return Value{m, m, m};
        } else if constexpr (requires { Value{m, m}; }) {
            return Value{m, m};
        } else if constexpr (requires { Value{m}; }) {
            return Value{m};
        } else {
            return Value{};
        }
    }

    std::uint32_t number() { return taken_.emplace_back(next_ += 3); }

    std::uint32_t next_ = 1000;
    std::vector<std::uint32_t> taken_;
};

bool stands_in(const std::string &text, const std::string &word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        if (std::isdigit(text[at - 1]) == 0 && std::isdigit(text[at + word.size()]) == 0) {
            return true;
        }
    }
    return false;
}

template <typename Remark> void expect_all_of(distinct_numbers &numbers) {
    const std::string text = json_text(object_of(numbers.draw<Remark>()));
    for (const std::uint32_t number : numbers.taken()) {
        EXPECT_TRUE(stands_in(text, std::to_string(number)) ||
                    text.find(fingerprint_text(number)) != std::string::npos)
            << number << " is missing: " << text;
    }
}

template <std::size_t... Index> void expect_all(std::index_sequence<Index...>) {
    distinct_numbers numbers;
    (expect_all_of<std::variant_alternative_t<Index, remark_content>>(numbers), ...);
    EXPECT_GT(numbers.draw<std::uint32_t>(), 1000u + 3 * sizeof...(Index));
}

// A member that a remark does not show would be lost to programs.
TEST(Remarks, LoseNoNumberInJson) {
    expect_all(std::make_index_sequence<std::variant_size_v<remark_content>>());
}

} // namespace
} // namespace sotto::aggregator::test
