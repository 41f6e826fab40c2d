// SPDX-License-Identifier: Apache-2.0
// A distribution through the program: a table of numbers, their reports, a store, its shape.
#include "run_program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

// 6,000 devices: 0 to 19, each as often.
constexpr int devices = 6000;

class DistributionProgram : public testing::Test {
  protected:
    void SetUp() override {
        (void)in_.file("M.json", read_file(SOTTO_DISTRIBUTIONS));
        std::string text = "device,height\n";
        for (int i = 0; i < devices; ++i) {
            text += std::to_string(i) + "," + std::to_string(i % 20) + "\n";
        }
        (void)in_.file("devices.csv", text);
        run("simulate --registry M.json --input devices.csv --map height=height --seed 01 "
            "--levels 2 --out r.bin");
        run("ingest --registry M.json --store S r.bin --strict");
    }

    std::string run(const std::string &arguments) {
        const program_result found = run_program(in_, arguments);
        EXPECT_EQ(found.exit, 0) << arguments << ": " << found.err;
        return found.out;
    }
    json rows(const std::string &more = "") {
        return json::parse(
            run("estimate --registry M.json --store S --metric height --format json" + more));
    }

    temporary_directory in_;
};

TEST_F(DistributionProgram, HasAMeanQuantilesAndBins) {
    const json found = rows();
    ASSERT_EQ(found.size(), 1u + 5 + 25);
    EXPECT_EQ(found[0]["quantity"], "mean");
    // At level 2 a mean of 6,000 has a standard error of .6; 6.2 of them are beyond once in 10^9.
    EXPECT_LT(found[0]["std_error"], 0.7);
    EXPECT_NEAR(found[0]["estimate"], 9.5, 6.2 * found[0]["std_error"].get<double>());
    double last = -40;
    for (std::size_t i = 1; i <= 5; ++i) {
        EXPECT_EQ(found[i]["quantity"], "quantile");
        EXPECT_EQ(found[i]["value_kind"], "quantile");
        EXPECT_GE(found[i]["estimate"], last);
        last = found[i]["estimate"];
    }
    EXPECT_EQ(found[3]["value"], 0.5);
    EXPECT_NEAR(found[3]["estimate"], 9.5, 6);
    double inside = 0, sum = 0;
    for (std::size_t i = 6; i < found.size(); ++i) {
        EXPECT_EQ(found[i]["quantity"], "count");
        EXPECT_EQ(found[i]["value_kind"], "bin");
        EXPECT_GE(found[i]["estimate"], 0);
        sum += found[i]["estimate"].get<double>();
        inside += i >= 16 && i < 21 ? found[i]["estimate"].get<double>() : 0; // 0 to 19
    }
    EXPECT_EQ(found[6]["value"], "-40:-37");
    EXPECT_EQ(found[30]["value"], "56:59");
    EXPECT_NEAR(sum, devices, 1e-6 * devices);
    EXPECT_GT(inside, 0.75 * devices) << "a fifth of the range has all values";
}

TEST_F(DistributionProgram, IsReadByEveryCommand) {
    for (const char *command :
         {"epsilon --registry M.json", "epsilon --registry M.json --format json",
          "tally --registry M.json --store S", "verify --store S",
          "inspect --registry M.json r.bin", "estimate --registry M.json --store S --format csv",
          "estimate --registry M.json --store S --all-epochs --coalition 3",
          "tighten --registry M.json --metric height --level 0 --seed 02 --out t.bin r.bin"}) {
        (void)run(command);
    }
    const std::string text = run("estimate --registry M.json --store S");
    EXPECT_NE(text.find("25 bins; --format csv has them"), std::string::npos) << text;
    EXPECT_NE(text.find("quantile"), std::string::npos) << text;
    EXPECT_EQ(text.find("-40:-37"), std::string::npos) << "a chart says more";
    const std::string epsilon = run("epsilon --registry M.json");
    EXPECT_NE(epsilon.find("window_response"), std::string::npos) << epsilon;
    EXPECT_NE(epsilon.find("-40 to 59"), std::string::npos) << epsilon;
}

TEST_F(DistributionProgram, HasAChartWithABand) {
    const std::string page = run("estimate --registry M.json --store S --format html");
    for (const char *part : {"data-kind=\"bins\"", "Line chart with a band, 25 bins: height",
                             "Mean and quantiles of ", "50 % quantile", "-40:-37"}) {
        EXPECT_NE(page.find(part), std::string::npos) << part;
    }
}

// Levels lose what the highest loses, and the lower ones are less exact.
TEST_F(DistributionProgram, HasLowerLevels) {
    const double low = rows(" --level 0")[0]["std_error"],
                 high = rows(" --level 2")[0]["std_error"];
    EXPECT_GT(low, 2 * high);
}

TEST_F(DistributionProgram, IsPlanned) {
    const std::string plan = run("plan --type distribution --min 0 --max 999 --devices 10000 "
                                 "--epsilon 1");
    for (const char *part :
         {"type = \"distribution\"", "bins = 64", "min = 0", "window_response"}) {
        EXPECT_NE(plan.find(part), std::string::npos) << part << "\n" << plan;
    }
}

} // namespace
} // namespace sotto::aggregator::test
