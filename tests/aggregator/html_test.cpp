// SPDX-License-Identifier: Apache-2.0
// The HTML page as text; tests/browser shows it in a browser.
#include "aggregator/page/assets.hpp"
#include "aggregator/page/html.hpp"
#include "aggregator/page/page.hpp"
#include "aggregator/text/estimate_phrases.hpp"
#include "aggregator/text/estimate_text.hpp"
#include "support.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

bool has(const std::string &text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST(Html, EscapesWhatMeansSomething) {
    EXPECT_EQ(html_text("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
    EXPECT_EQ(html_text(std::string("\0\n\x7f", 3)), "\\x00\\x0a\\x7f");
    EXPECT_EQ(html_text("± ü"), "± ü");
    EXPECT_EQ(html_name("<i>"), "<bdi>&lt;i&gt;</bdi>");
}

TEST(Html, KeepsNumbersWhole) {
    EXPECT_EQ(with_whole_numbers("is ± 2 %; 5 % of it"), "is ±\u00a02\u00a0%; 5\u00a0% of it");
}

// echo -n "" | openssl dgst -sha256 -binary | base64, and of "abc".
TEST(Html, HashesAsAPolicyNamesThem) {
    EXPECT_EQ(csp_hash(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    EXPECT_EQ(csp_hash("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
}

class ReportPage : public testing::Test {
  protected:
    estimate_row row(std::uint32_t metric_id, std::uint32_t epoch, row_value value, double count) {
        estimate_row r;
        r.subject = registry_.find(metric_id);
        r.epoch = epoch;
        r.epsilon = 0.5;
        r.value = std::move(value);
        r.result = {count, 20, 1000};
        r.consistent = count;
        return r;
    }

    // On a candidate file, which may have any name.
    static remark remark_with(const std::string &name) {
        return {nullptr, {}, candidates_with_commas{name, 2, 3}};
    }

    registry registry_ = parse_registry(registry_text(), "M.json");
};

TEST_F(ReportPage, SaysWhatIsKnownOfABoolean) {
    estimate_row r = row(1, 5, true, 314);
    r.relaxed = {10, 1, 0};
    std::string page = page_of({{r}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "31.4 % ± 3.9 %"));
    EXPECT_TRUE(has(page, "<small>314 ± 40</small>"));
    EXPECT_TRUE(has(page, "of 1,000 reports, epsilon 0.5, odds change at most 1.65 times"));
    EXPECT_TRUE(has(page, with_whole_numbers(
                              "to epsilon 1, these reports would say ± 2 %; now it is ± 3.9 %")));
    EXPECT_TRUE(has(page, "keeps no account"));
    EXPECT_TRUE(has(page, "<th scope=\"row\">epoch 5</th>"));
    EXPECT_TRUE(has(page, "Relaxing would buy: relaxed"));
    // The newest of several epochs, by name.
    estimate_row older = row(1, 4, true, 314);
    page = page_of({{older, r}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "Relaxing would buy in epoch 5: relaxed"));
    EXPECT_FALSE(has(page, "in epoch 4"));
}

TEST_F(ReportPage, KeepsNamesFromBeingAnythingElse) {
    const std::string name = "</script><script>alert(1)</script>\"onload='x'";
    const std::string page =
        page_of({{row(1, 5, name, 10)}, {remark_with(name)}}, registry_, std::nullopt);
    EXPECT_FALSE(has(page, "alert(1)</script>"));
    EXPECT_FALSE(has(page, "\"onload"));
    EXPECT_TRUE(has(page, "<bdi>&lt;/script&gt;&lt;script&gt;alert(1)"));
}

TEST_F(ReportPage, AllowsItsOwnScriptsAndNothingElse) {
    const std::string page = page_of({{row(1, 5, true, 10)}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "content=\"default-src 'none'; style-src " + csp_hash(page_style)));
    EXPECT_TRUE(has(page, "; script-src " + csp_hash(page_find)));
    EXPECT_EQ(has(page, csp_hash(page_charts)), !page_chart_library.empty());
    EXPECT_EQ(has(page, "and no charts"), page_chart_library.empty());
    EXPECT_FALSE(has(page, "unsafe-inline"));
}

TEST_F(ReportPage, NamesEveryReasonOfARejection) {
    rejections rejected;
    EXPECT_TRUE(has(page_of({}, registry_, rejected), "No report was rejected"));
    rejected.add(reason::duplicate, 1198);
    rejected.add(reason::truncated, 9);
    const std::string page = page_of({}, registry_, rejected);
    EXPECT_TRUE(has(page, "Rejected 1,207 in all"));
    EXPECT_TRUE(has(page, "<td>1,198</td>"));
    EXPECT_TRUE(has(page, reason_text(reason::truncated)));
    EXPECT_FALSE(has(page, reason_text(reason::malformed)));
    EXPECT_TRUE(has(page, "There are no estimates"));
}

TEST_F(ReportPage, ShowsOfStringsThoseThatAreThere) {
    std::vector<estimate_row> rows = {row(1, 5, "owl", 300), row(1, 5, "crow", 9),
                                      row(1, 5, "dodo", -0.1)};
    EXPECT_TRUE(has(page_of({rows, {}}, registry_, std::nullopt), "<td class=\"figure\">0.0 %"));
    for (estimate_row &r : rows) {
        r.detected = false;
    }
    const std::string none = page_of({rows, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(none, "dodo"));
    EXPECT_TRUE(has(none, "<strong>none detected</strong>"));
    EXPECT_TRUE(has(none, "The largest estimates of <bdi>damage</bdi>, none of them detected"));
    rows[0].detected = true;
    const std::string page = page_of({rows, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "most frequent: <bdi>owl</bdi>; 1 of 3 values detected"));
    EXPECT_FALSE(has(page, "crow"));
    EXPECT_TRUE(has(page, "And 2 more, smaller or not detected."));
    EXPECT_TRUE(has(page, "Values detected in <bdi>damage</bdi>, epoch 5"));
}

// Numbers, and hours by name, stay in their order where only the largest fit; other names don't.
TEST_F(ReportPage, KeepsWhatIsOrderedInOrder) {
    std::vector<estimate_row> rows;
    for (std::uint32_t v = 0; v < 60; ++v) {
        rows.push_back(row(1, 5, v, 100 + 37 * v % 60));
    }
    const auto values = [&] {
        std::vector<std::size_t> places;
        for (const estimate_row *r : largest(rows)) {
            places.push_back(static_cast<std::size_t>(r - rows.data()));
        }
        return places;
    };
    EXPECT_EQ(values().size(), rows_shown);
    const std::vector<std::size_t> numbers = values();
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    for (estimate_row &r : rows) {
        r.value = std::to_string(std::get<std::uint32_t>(r.value)) + ":00";
    }
    const std::vector<std::size_t> hours = values();
    EXPECT_TRUE(std::is_sorted(hours.begin(), hours.end()));
    rows[3].value = "at night";
    const std::vector<std::size_t> names = values();
    EXPECT_FALSE(std::is_sorted(names.begin(), names.end()));
}

// The interval of a card, a table and a chart is the one for what is read first.
TEST_F(ReportPage, SaysWhyTheLargestHaveWiderIntervals) {
    std::vector<estimate_row> rows = {row(1, 5, "owl", 300), row(1, 5, "crow", 299)};
    EXPECT_TRUE(has(page_of({rows, {}}, registry_, std::nullopt), "30.0 % ± 3.9 %</strong>"));
    EXPECT_FALSE(has(estimate_table(rows), picked_in_words));
    rows[0].result.widening = 1.2;
    const std::string page = page_of({rows, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "30.0 % ± 4.7 %</strong>"));
    EXPECT_TRUE(has(page, "the longest is owl, 30.0 % ± 4.7 %"));
    EXPECT_TRUE(has(page, "their intervals are wider to allow for it"));
    EXPECT_TRUE(has(estimate_table(rows), picked_in_words));
}

// Reports of which nothing could be said, and none at all, are two things.
TEST_F(ReportPage, TellsNoEstimateFromNoReports) {
    estimates found;
    for (const std::uint32_t epoch : {3u, 4u, 6u}) {
        found.without_rows.push_back({registry_.find(7), epoch, 1000, 1, 0, no_row::no_candidates});
    }
    found.without_reports = {registry_.find(1)};
    const std::string page = page_of(found, registry_, std::nullopt);
    EXPECT_FALSE(has(page, "the store has no reports"));
    EXPECT_TRUE(has(page, "smoke</bdi></h2>\n<p class=\"headline\"><strong>no estimate</strong> "
                          "<small>3,000 reports, epochs 3 to 4, 6"));
    EXPECT_TRUE(
        has(page, "No estimate of 3,000 reports, epochs 3 to 4, 6: no candidates were given."));
    EXPECT_TRUE(has(page, "No reports of: <bdi>damage</bdi>."));
}

// A few forged reports, or a wrong clock, make neither the headline nor the newest epochs.
TEST_F(ReportPage, LeavesStrayEpochsOut) {
    for (const std::uint32_t metric_id : {1u, 7u}) { // one number an epoch, and several
        estimates found;
        const auto value = [&] { return metric_id == 1 ? row_value(true) : row_value("red"); };
        found.rows = {row(metric_id, 5, value(), 314), row(metric_id, 6, value(), 271)};
        for (std::uint32_t epoch = 4294967254; epoch != 0; ++epoch) {
            found.rows.push_back(row(metric_id, epoch, value(), 1));
            found.rows.back().result.reports = 9;
        }
        const std::string page = page_of(found, registry_, std::nullopt);
        EXPECT_TRUE(has(page, "27.1 % ± 3.9 %</strong>"));
        EXPECT_TRUE(
            has(page, metric_id == 1 ? "<th scope=\"row\">epoch 5</th>" : "<h3>epoch 5</h3>"));
        EXPECT_TRUE(has(page, "Not shown: 378 reports in epochs 4294967254 to 4294967295, each"));
        EXPECT_FALSE(has(page, "epoch 4294967295<"));
        found.rows.back().result.reports = 10; // 1 %
        EXPECT_TRUE(has(page_of(found, registry_, std::nullopt), "epoch 4294967295<"));
    }
}

// A selection without reports does not mean that the store has none.
TEST_F(ReportPage, SaysOfWhatThereAreNoReports) {
    estimates found;
    EXPECT_TRUE(
        has(page_of(found, registry_, std::nullopt), "the store has no reports of these metrics."));
    metric_held damage;
    damage.metric = "damage";
    damage.releases = 9;
    damage.epochs.insert(3);
    damage.levels.insert(0);
    found.remarks.push_back({nullptr, {}, damage});
    std::string page = page_of(found, registry_, std::nullopt, {55, {}});
    EXPECT_TRUE(has(page, "the store has no reports of epoch 55.</p>\n<ul>\n<li><bdi>the store "
                          "holds 9 releases of damage"));
    EXPECT_FALSE(has(page, "of these metrics"));
    EXPECT_FALSE(has(page, "To be kept in mind")) << "it would be said twice";
    EXPECT_TRUE(has(page_of(found, registry_, std::nullopt, {55, 2}), "of epoch 55 at level 2.<"));
    found = {{row(1, 5, true, 314)}, {}};
    EXPECT_TRUE(has(page_of(found, registry_, std::nullopt), "privacy: 1,000 reports, epoch 5"));
    page = page_of(found, registry_, std::nullopt, {{}, 0});
    EXPECT_TRUE(has(page, "what higher levels say and cost is left out"));
}

TEST_F(ReportPage, SaysWhatAnswersAddUpTo) {
    estimates found = {{row(1, 5, true, 314)}, {}};
    std::string page = page_of(found, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "Epochs add up: each further answer costs as much again. The device "
                          "refuses to lose more than epsilon 8 in any 7 epochs."));
    EXPECT_TRUE(has(page, "from epoch to epoch and from metric to metric. The device refuses to "
                          "lose more than epsilon 16 in any 30 epochs."));
    found.rows.push_back(row(1, 7, true, 314));
    found.without_rows = {{registry_.find(7), 5, 1000, 1, 0, no_row::no_candidates},
                          {registry_.find(7), 6, 1000, 0, 0, no_row::no_candidates}};
    page = page_of(found, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "in epochs 5, 7 lose at most epsilon 2.1973 together.")); // 2 ln 3
    EXPECT_TRUE(has(page, "in epochs 5 to 6 lose at most epsilon 1.6095 together."))
        << "0.5108 more";
    EXPECT_TRUE(has(page, "every kind of answer counted here loses at most epsilon 3.8067."));
    found.rows.resize(1);
    found.rows[0].epoch.reset();
    found.rows[0].all_epochs = {4, 4.3945};
    EXPECT_TRUE(has(page_of(found, registry_, std::nullopt),
                    "in all 4 epochs lose at most epsilon 4.3945 together."));
    found.rows[0].all_epochs->epsilon = HUGE_VAL;
    EXPECT_TRUE(has(page_of(found, registry_, std::nullopt),
                    "in all 4 epochs lose possibly more than epsilon 2048 together."));
}

// Beside other reports of the same value one says more than its epsilon.
TEST_F(ReportPage, PromisesRememberedNoiseForValuesOfNoOtherEpoch) {
    registry_ = parse_registry(every_type_text(), "M.json");
    const char *budget = "where noise is remembered by values that it reports in no others";
    std::string page = page_of({{row(1, 5, true, 314)}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "the odds between true and false by a factor"));
    EXPECT_TRUE(has(page, "in any 30 epochs, " + std::string(budget))) << "of all metrics";
    registry_.metrics[4].window = {7, {"3", 3}, 3u << 20};
    estimate_row owl = row(5, 5, "owl", 300);
    owl.detected = true;
    page = page_of({{owl}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "any two strings that the device reports in no other epoch by a factor"));
    EXPECT_TRUE(has(page, "epsilon 3 in any 7 epochs, " + std::string(budget)));
    EXPECT_TRUE(has(page, "the factor is for a value that it reports in no other epoch"));
    registry_.metrics.resize(2);
    page = page_of({{row(1, 5, true, 314)}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "in any 30 epochs.</p>"));
}

// A text that was reported to every metric that it was found by has cost what they cost together.
TEST_F(ReportPage, CountsAllMetricsThatATextWasDiscoveredBy) {
    registry_ = parse_registry(every_type_text(), "M.json");
    estimate_row r = row(5, 5, "owl", 300);
    const metric &m = *r.subject;
    const std::vector<stage_read> both = {{&m, 1}, {&m, 0}};
    r.epsilon = m.realised(0).value;
    r.joint_epsilon = loss_of_stages(both);
    r.stages = 2;
    r.detected = true;
    std::string page = page_of({{r}, {}, {}, {}, both}, registry_, std::nullopt);
    const std::string promised = "How private: epsilon at most 3.6548 for each answer, if a device "
                                 "gives it to all 2 metrics that texts are found by "
                                 "(<bdi>aircraft</bdi> alone: 1.0743)."; // 2.5805 and 1.0743
    EXPECT_TRUE(has(page, promised)) << page.substr(page.find("How private"), 300);
    EXPECT_TRUE(has(page, "factor of at most 38.66 (e^3.6548)"));
    EXPECT_TRUE(has(page, "epsilon at most 3.6548, odds change at most 38.66 times</small>"));
    EXPECT_FALSE(has(page, "epsilon 1.0743"));
    EXPECT_TRUE(has(page, "at these levels: at most epsilon 26.3667.")); // twice a life
    // Without an estimate the promise is the same.
    page = page_of({{}, {}, {{&m, 5, 1000, 0, 0, no_row::none_discovered}}, {}, both}, registry_,
                   std::nullopt);
    EXPECT_TRUE(has(page, promised));
}

// A factor that nobody reads is a power.
TEST_F(ReportPage, WritesVeryLargeOddsAsPowers) {
    estimate_row r = row(1, 5, true, 314);
    r.epsilon = 31.44805;
    EXPECT_TRUE(
        has(page_of({{r}, {}}, registry_, std::nullopt), "odds change at most e^31.4481 times"));
}

// RAPPOR's levels lose more together than the highest of them, and its epochs add up to a cap only.
TEST_F(ReportPage, CountsAllLevelsOfAnAnswer) {
    registry_ = parse_registry(every_type_text(), "M.json");
    estimate_row r = row(5, 5, "owl", 300);
    const metric &m = *r.subject;
    r.epsilon = m.realised(1).value;
    r.joint_epsilon = joint_epsilon(m, 1);
    r.highest = 1;
    r.mixed = true;
    r.detected = true;
    estimates found = {{r}, {}};
    std::string page = page_of(found, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "How private: epsilon at most 2.5805 for each answer, all its levels "
                          "together (level 1 alone: 2.0434). One answer"));
    EXPECT_TRUE(has(page, "epsilon at most 2.5805, odds change at most 13.21 times</small>"));
    EXPECT_FALSE(has(page, "odds change at most 7.72 times"));
    EXPECT_TRUE(has(page, "Epochs add up only to a cap, however many epochs come: at most epsilon "
                          "13.1834."));
    // Without an estimate the promise is the same.
    const std::string promised = page.substr(page.find("<p>How private"), 300);
    found = {{}, {}, {{&m, 5, 1000, 1, 0, no_row::no_candidates, true}}};
    EXPECT_TRUE(has(page_of(found, registry_, std::nullopt), promised));
    // Before it was relaxed a level further would cost more.
    found.without_rows = {{&m, 5, 1000, 0, 0, no_row::no_candidates}};
    page = page_of(found, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "How private: epsilon 1.0743 for each answer.")) << page;
    EXPECT_TRUE(has(page, "however many epochs come at these levels: at most"));
    // The cost of two answers, as the registry has it, not twice that of one.
    found.without_rows.push_back({&m, 6, 1000, 0, 0, no_row::no_candidates});
    EXPECT_TRUE(has(page_of(found, registry_, std::nullopt),
                    "in epochs 5 to 6 lose at most epsilon 13.1834 together; however many"));
}

TEST_F(ReportPage, SaysOnceWhatAllRowsHaveInCommon) {
    std::vector<estimate_row> rows = {row(7, 5, "owl", 300), row(7, 5, "crow", 9)};
    const auto times = [](const std::string &page, std::string_view what) {
        std::size_t n = 0;
        for (std::size_t at = page.find(what); at != std::string::npos;
             at = page.find(what, at + 1)) {
            ++n;
        }
        return n;
    };
    std::string page = page_of({rows, {}}, registry_, std::nullopt);
    EXPECT_EQ(times(page, "odds change at most 1.65 times"), 1u) << "under the title";
    EXPECT_EQ(times(page, "break its ciphers"), 1u);
    EXPECT_FALSE(has(page, "How private</th>"));
    EXPECT_FALSE(has(page, "Detected</th>"));
    rows = {row(1, 5, true, 300), row(1, 6, true, 300)};
    rows[0].epsilon = 1;
    page = page_of({rows, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "How private</th>"));
    EXPECT_TRUE(has(page, "<td>epsilon 1 <small>odds change at most 2.72 times</small></td>"));
    EXPECT_TRUE(has(page, "is true, in each epoch"));
    rows.resize(1);
    rows[0].epoch.reset();
    EXPECT_TRUE(
        has(page_of({rows, {}}, registry_, std::nullopt), "is true, in all epochs together"));
}

// "3 % ± 3.9 %" would be read as a share that may be negative.
TEST_F(ReportPage, SaysTheOtherEndOfAnIntervalThatHoldsNoneOrAll) {
    estimate_row r = row(1, 5, true, 30);
    r.relaxed = {10, 0, 0};
    std::string page = page_of({{r}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "<strong>at most 6.9 %</strong>"));
    EXPECT_TRUE(has(page, "3.0 %, <wbr>at most 6.9 % <small>30, at most 69</small>"));
    EXPECT_TRUE(has(page, with_whole_numbers("now it is ± 3.9 %")));
    estimate_row found = r;
    found.detected = true; // it is there, and "at most" would say that it may not be
    EXPECT_NE(estimate_table({found}).find("3.0 %  ± 3.9 %"), std::string::npos)
        << estimate_table({found});
    r.result.value = -10;
    page = page_of({{r}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "-1.0 %, <wbr>at most 2.9 % <small>-10, at most 29</small>"));
    r.result.value = 990;
    page = page_of({{r}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "<strong>at least 95.1 %</strong>"));
    EXPECT_TRUE(has(page, "<small>990, at least 951</small>"));
    EXPECT_NE(estimate_table({r}).find("99.0 %  ≥ 95.1 %  990  ≥ 951"), std::string::npos)
        << estimate_table({r});
    r.result.std_error = 1000;
    page = page_of({{r}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "99.0 %, <wbr>0.0 % to 100.0 % <small>990, 0 to 1,000</small>"));
    r = row(1, 5, true, -100); // more than noise explains
    EXPECT_TRUE(has(page_of({{r}, {}}, registry_, std::nullopt), "-10.0 % ± 3.9 %</strong>"));
}

TEST_F(ReportPage, SaysSoWhereThereAreTooFewReports) {
    estimate_row r = row(1, 5, true, -154);
    const char *few = "<strong>too few reports to say</strong> <small>-15.4 % ± ";
    EXPECT_FALSE(has(page_of({{r}, {}}, registry_, std::nullopt), few));
    r.result.std_error = 60;
    EXPECT_TRUE(has(page_of({{r}, {}}, registry_, std::nullopt), few));
    registry_ = parse_registry(every_type_text(), "M.json");
    r = row(6, 5, {}, 20); // a mean's is no share of the reports
    r.result.std_error = 60;
    EXPECT_TRUE(has(page_of({{r}, {}}, registry_, std::nullopt),
                    with_whole_numbers("± 5 % of its range takes about ")));
}

// A chart before the numbers; what has order keeps it, and epochs are a line.
TEST_F(ReportPage, DrawsWhatFits) {
    registry_ = parse_registry(every_type_text(), "M.json");
    const auto kind = [&](std::vector<estimate_row> rows) {
        const std::string page = page_of({std::move(rows), {}}, registry_, std::nullopt);
        const std::string_view mark = "data-kind=\"";
        const std::size_t at = page.find(mark) + mark.size();
        return page.substr(at, page.find('"', at) - at);
    };
    EXPECT_EQ(kind({row(1, 5, true, 300)}), "bars");
    EXPECT_EQ(kind({row(1, 5, true, 300), row(1, 6, true, 310)}), "time");
    EXPECT_EQ(kind({row(2, 5, "climb", 300), row(2, 5, "taxi", 310)}), "bars");
    registry_.metrics[1].words.is_ordered = true;
    EXPECT_EQ(kind({row(2, 5, "climb", 300), row(2, 5, "taxi", 310)}), "columns");
    EXPECT_EQ(kind({row(7, 5, 0u, 3), row(7, 5, 1u, 4)}), "columns");
    const std::string page =
        page_of({{row(2, 5, "climb", 300), row(2, 6, "climb", 310), row(2, 6, "taxi", 320)}, {}},
                registry_, std::nullopt);
    EXPECT_TRUE(has(page, "data-kind=\"trend\" data-unit=\" %\" data-tables=\"metric-2-6 "
                          "metric-2-5\" data-names=\"[&quot;taxi&quot;, &quot;climb&quot;]\""));
}

// Bars beyond the first few wait with the numbers.
TEST_F(ReportPage, ShowsAFewBarsAtOnce) {
    std::vector<estimate_row> rows;
    for (const char *name : {"a", "b", "c", "d", "e", "f", "g"}) {
        rows.push_back(row(7, 5, name, 100));
    }
    const std::string page = page_of({rows, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "data-table=\"metric-7-5\" data-most=\"6\""));
    EXPECT_TRUE(has(page, "Bar chart with error bars, 6 bars: smoke"));
}

// Nine metrics are too many to look through.
TEST_F(ReportPage, OffersASearchWhereThereAreManyMetrics) {
    registry_ = parse_registry(every_type_text(), "M.json");
    std::vector<estimate_row> rows;
    for (std::uint32_t id = 1; id <= 8; ++id) {
        rows.push_back(row(id, 5, id == 1 ? row_value(true) : row_value("x"), 100));
    }
    EXPECT_FALSE(has(page_of({rows, {}}, registry_, std::nullopt), "role=\"search\""));
    rows.push_back(row(9, 5, true, 100));
    const std::string page = page_of({rows, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "role=\"search\" hidden"));
    EXPECT_TRUE(has(page, "<option>boolean</option><option>category</option>"));
}

TEST_F(ReportPage, IsAFunctionOfItsContent) {
    const estimates found = {{row(1, 5, true, 10), row(1, 6, true, 20)}, {remark_with("a note")}};
    EXPECT_EQ(page_of(found, registry_, std::nullopt), page_of(found, registry_, std::nullopt));
}

} // namespace
} // namespace sotto::aggregator::test
