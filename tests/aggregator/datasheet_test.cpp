// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/columns.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/program/formats.hpp"
#include "aggregator/promise/datasheet.hpp"
#include "run_program.hpp"
#include "support.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

class Datasheet : public testing::Test {
  protected:
    const sheet_part &part(const std::string &title) const {
        return *std::ranges::find(sheet_.parts, title, &sheet_part::title);
    }
    static const sheet_fact &fact(const sheet_part &wanted, const std::string &name) {
        return *std::ranges::find(wanted.facts, name, &sheet_fact::name);
    }

    registry registry_ = parse_registry(every_type_text(), "M.json");
    datasheet sheet_ = datasheet_of(registry_, "M.json", std::nullopt);
};

TEST_F(Datasheet, SaysWhatEpsilonSays) {
    const json certified = json::parse(json_format.epsilon(registry_, any_width));
    for (const json &m : certified["metrics"]) {
        const sheet_part &of_metric = part("Metric " + m["name"].get<std::string>());
        EXPECT_NE(fact(of_metric, "bytes")
                      .value.find(" " + std::to_string(m["report_bytes"].get<int>()) + " bytes"),
                  std::string::npos);
        EXPECT_EQ(fact(of_metric, "fingerprint").value, m["fingerprint"]);
        const std::string levels = fact(of_metric, "epsilon of a report").value;
        ASSERT_EQ(levels.rfind("level 0: ", 0), 0u) << levels;
        const double said = std::stod(levels.substr(9)), least = m["levels"][0]["realised"];
        EXPECT_GE(said, least) << "rounded up";
        EXPECT_LT(said, least + 2e-4);
    }
}

TEST_F(Datasheet, NamesEveryMetricOnce) {
    EXPECT_EQ(sheet_.parts.size(), registry_.metrics.size() + 5);
    for (const metric &m : registry_.metrics) {
        EXPECT_EQ(std::ranges::count(sheet_.parts, "Metric " + m.name, &sheet_part::title), 1);
    }
}

// Every question of a reviewer has its answer, or a gap that the operator fills, in each format.
TEST_F(Datasheet, HasEveryItem) {
    using titled = std::pair<const char *, std::vector<const char *>>;
    const std::vector<titled> items = {
        {"Deployment", {"name", "fingerprint of the registry", "intended use", "data curator"}},
        {"Privacy loss of the whole device",
         {"variant", "delta", "unit", "epsilon of all values", "spending", "composition",
          "not hidden"}},
        {"Trust",
         {"model", "actors", "release", "source of randomness", "pseudo-randomness", "fixed time",
          "sealed with"}},
        {"Metric speed",
         {"purpose", "type and mechanism", "fingerprint", "promise", "neighbours",
          "epsilon of a report", "all levels together", "spending", "repeats and changes",
          "integers in flash", "theft of the device", "bytes", "accuracy", "forged reports"}},
        {"Operation",
         {"cadence", "retention at the aggregator", "held now", "consent", "withdrawal",
          "readers of reports"}},
        {"To compute it again", {"certificate", "this sheet", "numbers", "names of fields"}}};
    const json said = json::parse(json_format.datasheet(sheet_));
    const std::string md = markdown_format.datasheet(sheet_);
    const std::string html = format_of("html").datasheet(sheet_);
    for (const auto &[title, names] : items) {
        ASSERT_NE(std::ranges::find(sheet_.parts, title, &sheet_part::title), sheet_.parts.end())
            << title;
        for (const char *name : names) {
            EXPECT_EQ(std::ranges::count(part(title).facts, name, &sheet_fact::name), 1) << name;
            EXPECT_NE(md.find("| " + std::string(name) + " |"), std::string::npos) << name;
            EXPECT_NE(html.find(">" + std::string(name) + "<"), std::string::npos) << name;
            EXPECT_TRUE(std::ranges::any_of(said["parts"], [&, &wanted = title](const json &p) {
                return p["title"] == wanted && std::ranges::any_of(p["facts"], [&](const json &f) {
                           return f["name"] == name;
                       });
            })) << name;
        }
    }
    EXPECT_EQ(fact(part("Privacy loss of the whole device"), "delta").value, "0");
    for (const char *source : {"NIST SP 800-226", "OpenDP"}) {
        EXPECT_NE(fact(part("To compute it again"), "names of fields").value.find(source),
                  std::string::npos);
    }
}

TEST_F(Datasheet, SaysWhatRepeatsAndChangesShow) {
    std::size_t memories = 0, fresh = 0;
    for (const metric &m : registry_.metrics) {
        const std::string text = fact(part("Metric " + m.name), "repeats and changes").value;
        const bool changes_show = text.find("changed is not hidden") != std::string::npos;
        const bool remembers = mechanism_of(m).remembered(m).has_value();
        EXPECT_EQ(changes_show, remembers) << m.name;
        EXPECT_EQ(text.find("costs this again") != std::string::npos,
                  !remembers && protects(m) != protected_unit::event)
            << m.name;
        memories += remembers;
        fresh += !remembers;
    }
    EXPECT_GT(memories, 0u);
    EXPECT_GT(fresh, 0u);
}

// A registry without counters promises nothing of events, and says no bound of none. One with
// counters is in series_program_test.cpp.
TEST_F(Datasheet, SaysNothingOfEventsThatNobodyCounts) {
    EXPECT_EQ(std::ranges::count(part("Privacy loss of the whole device").facts,
                                 "epsilon of one event", &sheet_fact::name),
              0);
}

// A purpose that a program makes up is worse than none.
TEST_F(Datasheet, LeavesToTheOperatorWhatOnlyTheOperatorKnows) {
    for (const char *name : {"data curator", "intended use", "responsible person"}) {
        EXPECT_EQ(fact(part("Deployment"), name).value, "") << name;
    }
    const json said = json::parse(json_format.datasheet(sheet_));
    EXPECT_EQ(said["parts"][0]["facts"][2]["value"], nullptr);
    EXPECT_NE(markdown_format.datasheet(sheet_).find("| data curator | to be filled in |"),
              std::string::npos);
}

TEST_F(Datasheet, SaysWhatAStoreHolds) {
    const auto held = [&](const std::optional<held_epochs> &epochs) {
        sheet_ = datasheet_of(registry_, "M.json", epochs);
        return fact(part("Operation"), "held now").value;
    };
    EXPECT_EQ(held(std::nullopt), "");
    EXPECT_EQ(held(held_epochs{}), "No report.");
    EXPECT_EQ(held(held_epochs{3, 9, 5}), "Epochs 3 to 9, 5 with reports.");
}

TEST_F(Datasheet, ShowsForeignNamesAsText) {
    registry_.name = "a<script>|b*";
    sheet_ = datasheet_of(registry_, "M.json", std::nullopt);
    const std::string page = format_of("html").datasheet(sheet_);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_NE(page.find("a&lt;script"), std::string::npos);
    EXPECT_NE(markdown_format.datasheet(sheet_).find("a\\<script>\\|b\\*"), std::string::npos);
}

// Data protection law has a word for data that no report is.
TEST_F(Datasheet, NeverClaimsTooMuch) {
    for (const char *format : {"md", "html", "json"}) {
        const std::string text = format_of(format).datasheet(sheet_);
        EXPECT_EQ(text.find("nonym"), std::string::npos) << format;
        EXPECT_EQ(text.find("nan"), std::string::npos) << format;
    }
}

TEST_F(Datasheet, IsPrintedByTheProgram) {
    const temporary_directory directory;
    std::ofstream(directory / "M.json") << every_type_text();
    const program_result printed =
        run_program(directory, "datasheet --registry M.json --format json");
    EXPECT_EQ(printed.exit, 0) << printed.err;
    EXPECT_EQ(printed.out, json_format.datasheet(sheet_));
    EXPECT_EQ(run_program(directory, "datasheet --registry M.json --format csv").exit, 2);
}

} // namespace
} // namespace sotto::aggregator::test
