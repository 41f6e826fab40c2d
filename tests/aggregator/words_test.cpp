// SPDX-License-Identifier: Apache-2.0
// A registry's words: dates, titles and units, in every format; names and numbers stay as they are.
#include "aggregator/base/calendar.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/program/formats.hpp"
#include "aggregator/text/estimate_phrases.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

using nlohmann::json;

constexpr std::uint32_t october = 20'000; // days from 1970-01-01 to 2024-10-04

TEST(Calendar, ReadsDaysAndNothingElse) {
    EXPECT_EQ(day_number("1970-01-01"), 0u);
    EXPECT_EQ(day_number("2024-10-04"), october);
    EXPECT_EQ(day_number("9999-12-31"), 2'932'896u);
    for (const char *wrong : {"", "2024", "2024-02-30", "2023-02-29", "1969-12-31", "2024-1-04",
                              "2024-10-04T00", "2024-10-04-", "12024-10-04", "2024-10-04 "}) {
        EXPECT_FALSE(day_number(wrong)) << wrong;
    }
}

TEST(Calendar, NamesEpochsByTheirDays) {
    const std::optional<calendar> days = calendar{0, 1}, weeks = calendar{october - 1, 7};
    EXPECT_EQ(epoch_text(days, october), "2024-10-04");
    EXPECT_EQ(epoch_text(weeks, 0), "2024-10-03 to 2024-10-09");
    EXPECT_EQ(epoch_text(weeks, 1), "2024-10-10 to 2024-10-16");
    EXPECT_EQ(epoch_text(std::nullopt, 5), "epoch 5");
    EXPECT_EQ(epoch_text(days, UINT32_MAX), "epoch 4294967295") << "far after the year 9999";
    EXPECT_EQ(weeks->first_day(1), "2024-10-10");
    EXPECT_EQ(days->first_day(2'932'897), std::nullopt);
}

TEST(Calendar, NamesRunsOfEpochs) {
    const std::optional<calendar> days = calendar{october, 1};
    EXPECT_EQ(epochs_text(days, {0, 1, 2, 5}), "2024-10-04 to 2024-10-06, 2024-10-09");
    EXPECT_EQ(epochs_text(std::nullopt, {0, 1, 2, 5}), "epochs 0 to 2, 5");
    EXPECT_EQ(epochs_text(days, {0, UINT32_MAX}), "epochs 0, 4294967295");
    std::set<std::uint32_t> every_other;
    for (std::uint32_t i = 0; i < 20; ++i) {
        every_other.insert(2 * i);
    }
    EXPECT_TRUE(epochs_text(days, every_other).ends_with("2024-10-18, ..."));
}

class Words : public testing::Test {
  protected:
    static json document() {
        json made = json::parse(every_type_text());
        made["words"] = {{"epoch_days", 1}, {"epoch_start", "1970-01-01"}};
        made["metrics"][5]["words"] = {{"title", "Delay <b>"},
                                       {"unit", "minutes & more"},
                                       {"description", "How late it left."}};
        made["metrics"][1]["words"] = {{"ordered", true}};
        return made;
    }

    estimate_row row(std::uint32_t metric_id, row_value value, double result) const {
        estimate_row r;
        r.subject = registry_.find(metric_id);
        r.epoch = october;
        r.epsilon = 0.5;
        r.value = std::move(value);
        r.result = {result, 1.275, 1000};
        r.consistent = result;
        return r;
    }

    std::string shown(const char *format, std::vector<estimate_row> rows) const {
        const estimates found = {std::move(rows), {}};
        return format_of(format).estimates({found, registry_, std::nullopt, {}});
    }

    static std::string why(const json &wrong) {
        try {
            (void)parse_registry(wrong.dump(), "M.json");
            return "";
        } catch (const usage_error &error) {
            return error.what();
        }
    }

    registry registry_ = parse_registry(document().dump(), "M.json");
};

TEST_F(Words, AreReadOrRefused) {
    const metric &delay = *registry_.find("speed");
    EXPECT_EQ(delay.shown_name(), "Delay <b>");
    EXPECT_EQ(delay.words.description, "How late it left.");
    EXPECT_EQ(registry_.find("damage")->shown_name(), "damage");
    EXPECT_TRUE(registry_.find("phase")->words.is_ordered);
    json wrong = document();
    wrong["metrics"][5]["words"]["unit"] = "a\nb";
    EXPECT_EQ(why(wrong).find("M.json: metrics[5].words.unit: "), 0u) << why(wrong);
    wrong = document();
    wrong["metrics"][1]["words"]["ordered"] = 1;
    EXPECT_EQ(why(wrong), "M.json: metrics[1].words.ordered: not true or false");
    wrong = document();
    wrong["words"]["epoch_start"] = "2024-02-30";
    EXPECT_EQ(why(wrong), "M.json: words.epoch_start: is not a day, as in 2024-10-04");
    wrong["words"] = {{"epoch_days", 367}, {"epoch_start", "2024-02-29"}};
    EXPECT_EQ(why(wrong), "M.json: words.epoch_days: 367 is not within 1 to 366");
}

TEST_F(Words, StandInTablesInPlaceOfNamesAndNumbers) {
    const std::string text = shown("table", {row(6, {}, 7.9)});
    EXPECT_EQ(text.find("Delay <b>  2024-10-04  mean    7.9  ± 2.5 minutes & more  of 1,000"), 0u)
        << text;
    EXPECT_EQ(shown("table", {row(1, true, 300)}).find("damage  2024-10-04  "), 0u);
}

TEST_F(Words, AreFieldsOfTheirOwnForPrograms) {
    const json rows = json::parse(shown("json", {row(6, {}, 7.9), row(1, true, 300)}));
    EXPECT_EQ(rows[0]["metric"], "speed");
    EXPECT_EQ(rows[0]["epoch"], october);
    EXPECT_EQ(rows[0]["title"], "Delay <b>");
    EXPECT_EQ(rows[0]["unit"], "minutes & more");
    EXPECT_EQ(rows[0]["date"], "2024-10-04");
    EXPECT_FALSE(rows[1].contains("title"));
    EXPECT_NE(shown("csv", {row(6, {}, 7.9)}).find(",Delay <b>,minutes & more,2024-10-04,,\n"),
              std::string::npos);
}

TEST_F(Words, AreTextOnThePage) {
    const std::string page = shown("html", {row(6, {}, 7.9)});
    EXPECT_NE(page.find("<strong>7.9 ± 2.5 minutes &amp; more</strong>"), std::string::npos);
    EXPECT_NE(page.find("<bdi>Delay &lt;b&gt;</bdi>"), std::string::npos);
    EXPECT_NE(page.find("1,000 reports, 2024-10-04"), std::string::npos);
    EXPECT_EQ(page.find("<b>"), std::string::npos);
    EXPECT_EQ(page.find("minutes & more"), std::string::npos);
}

// A scale stays in its order, whatever its names.
TEST_F(Words, KeepAScaleInOrder) {
    const std::vector<estimate_row> rows = {row(2, "taxi", 1), row(2, "climb", 300)};
    EXPECT_TRUE(is_ordered(rows));
    registry_ = parse_registry(every_type_text(), "M.json");
    EXPECT_FALSE(is_ordered(std::vector{row(2, "taxi", 1)}));
}

TEST_F(Words, ArePurposeAndCadenceOfADatasheet) {
    const datasheet sheet = datasheet_of(registry_, "M.json", held_epochs{october, october + 1, 2});
    const auto fact = [&](const std::string &part, const std::string &name) -> std::string {
        for (const sheet_part &p : sheet.parts) {
            for (const sheet_fact &f : p.facts) {
                if (p.title == part && f.name == name) {
                    return f.value;
                }
            }
        }
        return "no such fact";
    };
    EXPECT_EQ(fact("Metric speed: Delay <b>", "purpose"), "How late it left.");
    EXPECT_NE(fact("Metric speed: Delay <b>", "accuracy").find(" minutes & more from 1,000 rep"),
              std::string::npos);
    EXPECT_EQ(fact("Metric damage", "purpose"), "");
    EXPECT_EQ(fact("Operation", "cadence"), "An epoch is 1 day; epoch 0 began on 1970-01-01.");
    EXPECT_EQ(fact("Operation", "held now"), "2024-10-04 to 2024-10-05, 2 epochs with reports.");
}

} // namespace
} // namespace sotto::aggregator::test
