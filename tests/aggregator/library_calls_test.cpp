// SPDX-License-Identifier: Apache-2.0
// The program and the Python package both call these: from a table to reports, to a store, to rows.
#include "aggregator/base/failure.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/simulate/simulation.hpp"
#include "aggregator/store/file_ingest.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

class LibraryCalls : public testing::Test {
  protected:
    void SetUp() override {
        registry_ = in_.file("metrics.json", read_file(SOTTO_COMPILED_REGISTRY));
        std::string table = "broken,hours\n";
        for (int i = 0; i < 300; ++i) {
            table += i % 3 == 0 ? "yes,1\n" : "no,2\n";
        }
        options_.registry = registry_;
        options_.input = in_.file("table.csv", table);
        options_.out = in_ / "reports.bin";
        options_.seed = "00";
        options_.epoch = 4;
        options_.mapping.map = {"damage=broken"};
    }

    simulated simulate(std::vector<std::pair<std::uint64_t, double>> *told = nullptr) {
        return simulate_table(options_, [&](std::uint64_t devices, double share) {
            if (told != nullptr) {
                told->emplace_back(devices, share);
            }
        });
    }

    ingested ingest(const std::vector<std::string> &files, chosen_by whom = chosen_by::user) {
        named_store target(in_ / "store", load_registry(registry_));
        return ingest_files_into(target, nullptr, files, whom,
                                 {[this](std::uint64_t envelopes, double share) {
                                      told_.emplace_back(envelopes, share);
                                  },
                                  [this](exit_code code, const std::string &line) {
                                      complaints_.emplace_back(code, line);
                                  }});
    }

    temporary_directory in_;
    std::string registry_;
    simulate_options options_;
    std::vector<std::pair<std::uint64_t, double>> told_;
    std::vector<std::pair<exit_code, std::string>> complaints_;
};

TEST_F(LibraryCalls, SimulateAnswersWhatItMade) {
    std::vector<std::pair<std::uint64_t, double>> told;
    const simulated made = simulate(&told);
    EXPECT_EQ(made.devices, 300u);
    EXPECT_EQ(made.reports, 300u);
    EXPECT_EQ(made.bytes, read_file(options_.out).size());
    EXPECT_FALSE(made.epochs || made.answers || made.wrong);
    EXPECT_TRUE(made.unseen.empty());
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.back().first, 300u);
    EXPECT_EQ(told.back().second, 1);
}

TEST_F(LibraryCalls, SimulateAnswersWhatIsWrongAndUnseen) {
    options_.malformed = "0.1";
    options_.duplicated = "0.2";
    options_.mapping.true_texts = {"damage=yes|perhaps"};
    const simulated made = simulate();
    ASSERT_TRUE(made.wrong);
    EXPECT_EQ(made.wrong->spoilt.total(), 30u);
    EXPECT_EQ(made.wrong->duplicates, 54u) << "a share of those that are sound";
    EXPECT_EQ(made.unseen,
              std::vector<std::string>{"--true damage=perhaps: no row has \"perhaps\""});
    const ingested in = ingest({options_.out});
    EXPECT_EQ(in.reports, 270u);
    EXPECT_EQ(in.rejected.total() - in.rejected.count(reason::duplicate), 30u);
    ASSERT_EQ(in.rejected_of.size(), 1u);
    EXPECT_EQ(in.rejected_of.front().first, options_.out);
    EXPECT_EQ(in.rejected_of.front().second.total(), 30u) << "a duplicate is no reject";
}

TEST_F(LibraryCalls, IngestTellsHowFarItIs) {
    (void)simulate();
    const std::string again = in_.file("again.bin", read_file(options_.out));
    const ingested made = ingest({options_.out, again});
    EXPECT_EQ(made.code, exit_code::done);
    EXPECT_EQ(made.envelopes, 600u);
    EXPECT_EQ(made.reports, 300u);
    ASSERT_EQ(told_.size(), 600u);
    for (std::size_t i = 0; i < told_.size(); ++i) {
        ASSERT_EQ(told_[i].first, i + 1);
        ASSERT_GE(told_[i].second, i == 0 ? 0 : told_[i - 1].second);
    }
    EXPECT_EQ(told_.back().second, 1);
}

TEST_F(LibraryCalls, IngestComplainsOfWhatTheUserChoseAndGoesOn) {
    (void)simulate();
    const std::string text = in_.file("text.bin", "no report at all");
    const std::string none = in_ / "none.bin";
    const ingested made = ingest({none, text, options_.out});
    EXPECT_EQ(made.reports, 300u);
    EXPECT_EQ(made.code, exit_code::usage);
    ASSERT_EQ(complaints_.size(), 2u);
    EXPECT_EQ(complaints_[0].second, none + ": No such file or directory");
    EXPECT_TRUE(complaints_[1].second.starts_with(text + ": nothing readable: "))
        << complaints_[1].second;
}

TEST_F(LibraryCalls, IngestListsWhatAnybodyChose) {
    (void)simulate();
    const std::string none = in_ / "none.bin";
    const ingested made = ingest({none, options_.out}, chosen_by::anybody);
    EXPECT_TRUE(complaints_.empty());
    EXPECT_EQ(made.code, exit_code::done);
    EXPECT_EQ(made.reports, 300u);
    ASSERT_EQ(made.files.failed.size(), 1u);
    EXPECT_EQ(made.files.failed.front().first, none);
}

TEST_F(LibraryCalls, AnEstimateOutlivesItsStore) {
    (void)simulate();
    (void)ingest({options_.out});
    estimate_options asked;
    asked.registry = registry_;
    asked.store = in_ / "store";
    asked.request.metric = "damage";
    const std::unique_ptr<made_estimate> made = make_estimate(asked);
    std::filesystem::remove_all(in_ / "store");
    ASSERT_EQ(made->found.rows.size(), 1u);
    const estimate_row &row = made->found.rows.front();
    EXPECT_EQ(row.subject, made->with.find("damage"));
    EXPECT_EQ(row.epoch, 4u);
    EXPECT_EQ(row.result.reports, 300u);
    EXPECT_NEAR(row.result.value, 100, 6.2 * row.result.std_error);
    EXPECT_EQ(made->rejected.total(), 0u);
}

// Some formats word the want of reports beside their rows. A library has no format.
TEST_F(LibraryCalls, AnEstimateOfFewReportsHasItsRemark) {
    options_.input = in_.file("few.csv", "broken\nyes\n");
    (void)simulate();
    (void)ingest({options_.out});
    estimate_options asked;
    asked.registry = registry_;
    asked.store = in_ / "store";
    const std::vector<std::string> remarks = estimate_remarks(make_estimate(asked)->found);
    EXPECT_TRUE(std::ranges::any_of(remarks, [](const std::string &remark) {
        return remark.starts_with("damage: too few reports");
    }));
    asked.request.all_epochs = true;
    asked.request.what.epoch = 4;
    EXPECT_THROW((void)make_estimate(asked), usage_error);
}

} // namespace
} // namespace sotto::aggregator::test
