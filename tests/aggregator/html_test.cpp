// SPDX-License-Identifier: Apache-2.0
// The HTML report as text; tests/browser shows it in a browser.
#include "aggregator/program/html.hpp"
#include "aggregator/program/page_assets.hpp"
#include "aggregator/program/report_page.hpp"
#include "support.hpp"

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

// echo -n "" | openssl dgst -sha256 -binary | base64, and of "abc".
TEST(Html, HashesAsAPolicyNamesThem) {
    EXPECT_EQ(csp_hash(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    EXPECT_EQ(csp_hash("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
}

class ReportPage : public testing::Test {
  protected:
    estimate_row row(std::uint32_t metric_id, std::uint32_t epoch, row_value value, double count) {
        estimate_row r;
        r.of = registry_.find(metric_id);
        r.epoch = epoch;
        r.epsilon = 0.5;
        r.value = std::move(value);
        r.result = {count, 20, 1000};
        r.consistent = count;
        return r;
    }

    registry registry_ = parse_registry(registry_text(), "M.json");
};

TEST_F(ReportPage, SaysWhatIsKnownOfABoolean) {
    estimate_row r = row(1, 5, true, 314);
    r.next_std_error = 10;
    r.next_epsilon = 1;
    const std::string page = report_page({{r}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "31.4 % ± 3.9 %"));
    EXPECT_TRUE(has(page, "314 ± 40 of 1,000 reports"));
    EXPECT_TRUE(has(page, "epsilon 0.5 <small>odds change at most 1.65 times"));
    EXPECT_TRUE(has(page, "to epsilon 1, these reports would say ± 2 %; now it is ± 3.9 %"));
    EXPECT_TRUE(has(page, "keeps no account"));
    EXPECT_TRUE(has(page, "<th scope=\"row\">epoch 5</th>"));
}

TEST_F(ReportPage, KeepsNamesFromBeingAnythingElse) {
    const std::string name = "</script><script>alert(1)</script>\"onload='x'";
    const std::string page = report_page({{row(1, 5, name, 10)}, {name}}, registry_, std::nullopt);
    EXPECT_FALSE(has(page, "alert(1)</script>"));
    EXPECT_FALSE(has(page, "\"onload"));
    EXPECT_TRUE(has(page, "<bdi>&lt;/script&gt;&lt;script&gt;alert(1)"));
}

TEST_F(ReportPage, AllowsItsOwnScriptsAndNothingElse) {
    const std::string page = report_page({{row(1, 5, true, 10)}, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "content=\"default-src 'none'; style-src " + csp_hash(page_style)));
    EXPECT_EQ(has(page, csp_hash(page_charts)), !page_chart_library.empty());
    EXPECT_EQ(has(page, "and no charts"), page_chart_library.empty());
    EXPECT_FALSE(has(page, "unsafe-inline"));
}

TEST_F(ReportPage, NamesEveryReasonOfARejection) {
    rejections rejected;
    EXPECT_TRUE(has(report_page({}, registry_, rejected), "No report was rejected"));
    rejected.add(reason::duplicate, 1198);
    rejected.add(reason::truncated, 9);
    const std::string page = report_page({}, registry_, rejected);
    EXPECT_TRUE(has(page, "Rejected 1,207 in all"));
    EXPECT_TRUE(has(page, "<td>1,198</td>"));
    EXPECT_TRUE(has(page, reason_text(reason::truncated)));
    EXPECT_FALSE(has(page, reason_text(reason::malformed)));
    EXPECT_TRUE(has(page, "There are no estimates"));
}

TEST_F(ReportPage, ShowsOfStringsThoseThatAreThere) {
    std::vector<estimate_row> rows = {row(1, 5, "owl", 300), row(1, 5, "crow", 9),
                                      row(1, 5, "dodo", -0.1)};
    EXPECT_TRUE(
        has(report_page({rows, {}}, registry_, std::nullopt), "<td class=\"figure\">0.0 %"));
    for (estimate_row &r : rows) {
        r.detected = false;
    }
    EXPECT_TRUE(has(report_page({rows, {}}, registry_, std::nullopt), "dodo")) << "none is there";
    rows[0].detected = true;
    const std::string page = report_page({rows, {}}, registry_, std::nullopt);
    EXPECT_TRUE(has(page, "most frequent: <bdi>owl</bdi>; 1 of 3 strings detected"));
    EXPECT_FALSE(has(page, "crow"));
    EXPECT_TRUE(has(page, "And 2 more, smaller or not detected; --format csv has all."));
}

// Reports of which nothing could be said, and none at all, are two things.
TEST_F(ReportPage, TellsNoEstimateFromNoReports) {
    estimates found;
    for (const std::uint32_t epoch : {3u, 4u, 6u}) {
        found.without_rows.push_back({registry_.find(7), epoch, 1000, 1, 0, "nothing was asked"});
    }
    found.without_reports = {registry_.find(1)};
    const std::string page = report_page(found, registry_, std::nullopt);
    EXPECT_FALSE(has(page, "the store has no reports"));
    EXPECT_TRUE(has(page, "smoke</bdi></a> <strong>no estimate</strong> "
                          "<small>3,000 reports, epochs 3 to 4, 6"));
    EXPECT_TRUE(has(page, "No estimate of 3,000 reports, epochs 3 to 4, 6: nothing was asked."));
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
        const std::string page = report_page(found, registry_, std::nullopt);
        EXPECT_TRUE(has(page, "27.1 % ± 3.9 %</strong>"));
        EXPECT_TRUE(
            has(page, metric_id == 1 ? "<th scope=\"row\">epoch 5</th>" : "<h3>epoch 5</h3>"));
        EXPECT_TRUE(has(page, "Not shown: 378 reports in epochs 4294967254 to 4294967295, each"));
        EXPECT_FALSE(has(page, "epoch 4294967295<"));
        found.rows.back().result.reports = 10; // 1 %
        EXPECT_TRUE(has(report_page(found, registry_, std::nullopt), "epoch 4294967295<"));
    }
}

TEST_F(ReportPage, IsAFunctionOfItsContent) {
    const estimates found = {{row(1, 5, true, 10), row(1, 6, true, 20)}, {"a note"}};
    EXPECT_EQ(report_page(found, registry_, std::nullopt),
              report_page(found, registry_, std::nullopt));
}

} // namespace
} // namespace sotto::aggregator::test
