// SPDX-License-Identifier: Apache-2.0
// Points through the program: a table of gateways, their reports, a store, estimates of ranges.
#include "aggregator/base/failure.hpp"
#include "aggregator/plan/plan.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "run_program.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

class PlacesProgram : public testing::Test {
  protected:
    void SetUp() override { (void)in_.file("M.json", read_file(SOTTO_POINTS)); }

    program_result sotto(const std::string &arguments) { return run_program(in_, arguments); }

    // A row is a gateway; 200 of them, each with 9 points.
    void ingest() {
        std::string text = "gateway,points\n";
        for (int g = 0; g < 200; ++g) {
            text += std::to_string(g) + ",0|1|1|2|5|5|5|5|7\n";
        }
        (void)in_.file("gateways.csv", text);
        const program_result made =
            sotto("simulate --registry M.json --input gateways.csv --map haar=points --map "
                  "hybrid=points --map suffixes=points --seed 00 --out r.bin");
        ASSERT_EQ(made.exit, 0) << made.err;
        const program_result in = sotto("ingest --registry M.json --store S r.bin --strict");
        ASSERT_EQ(in.exit, 0) << in.err;
    }

    void expect_refused(const std::string &arguments, const std::string &what) {
        const program_result found = sotto(arguments);
        EXPECT_EQ(found.exit, 2) << found.out;
        EXPECT_NE(found.err.find(what), std::string::npos) << found.err;
        EXPECT_EQ(std::count(found.err.begin(), found.err.end(), '\n'), 1) << found.err;
    }

    temporary_directory in_;
};

TEST_F(PlacesProgram, EstimatesBinsAndRanges) {
    ingest();
    const std::string command =
        "estimate --registry M.json --store S --metric suffixes --format json";
    const json bins = json::parse(sotto(command).out);
    ASSERT_EQ(bins.size(), 8u);
    const json ranges = json::parse(sotto(command + " --range 1:5 --range 5:5").out);
    ASSERT_EQ(ranges.size(), 2u);
    EXPECT_EQ(ranges[0]["value"], "1:5");
    EXPECT_EQ(ranges[0]["reports"], 200);
    // Two rows of noise of epsilon 1/2, of 200 gateways: a standard error of 56.
    EXPECT_NEAR(ranges[0]["total_std_error"], 56.0, 0.2);
    EXPECT_NEAR(ranges[0]["total"], 200 * 7, 6.2 * 56);
    EXPECT_NEAR(ranges[0]["estimate"].get<double>() * 200, ranges[0]["total"], 1e-6);
    EXPECT_NEAR(ranges[1]["total"], bins[5]["total"], 1e-6);
    double sum = 0;
    for (int bin = 1; bin <= 5; ++bin) {
        sum += bins[static_cast<std::size_t>(bin)]["total"].get<double>();
    }
    EXPECT_NEAR(ranges[0]["total"], sum, 1e-6);
}

// 300 gateways, each with three points of a small town.
TEST_F(PlacesProgram, EstimatesSquaresAndBoxes) {
    std::string text = "gateway,points\n";
    for (int g = 0; g < 300; ++g) {
        text += std::to_string(g) + ",0:1|3:4|7:2\n";
    }
    (void)in_.file("towns.csv", text);
    const program_result made = sotto("simulate --registry M.json --input towns.csv --map "
                                      "squares=points --seed 00 --out r.bin");
    ASSERT_EQ(made.exit, 0) << made.err;
    ASSERT_EQ(sotto("ingest --registry M.json --store S r.bin --strict").exit, 0);
    const std::string command =
        "estimate --registry M.json --store S --metric squares --format json";
    const json squares = json::parse(sotto(command).out);
    ASSERT_EQ(squares.size(), 4u);
    EXPECT_EQ(squares[1]["value"], "5:7,0:4");
    const auto is_near = [](const json &row, double truth) {
        // By normal noise, less than once in 10^9.
        EXPECT_NEAR(row["total"], truth, 6.2 * row["total_std_error"].get<double>()) << row;
        EXPECT_LT(row["total_std_error"].get<double>(), 100);
        EXPECT_NEAR(row["estimate"].get<double>() * 300, row["total"], 1e-6);
    };
    is_near(squares[0], 600);
    is_near(squares[1], 300);
    is_near(squares[2], 0);
    const program_result asked = sotto(command + " --box 2:6,2:6 --box 2:4,0:7 --box 1:1,0:7");
    const json boxes = json::parse(asked.out);
    ASSERT_EQ(boxes.size(), 3u);
    is_near(boxes[0], 300);
    is_near(boxes[1], 300);
    EXPECT_EQ(boxes[2]["value"], "1:1,0:7");
    const program_result cut =
        sotto("estimate --registry M.json --store S --metric squares --box 1:1,0:7");
    EXPECT_NE(cut.err.find("1 of 1 row is cut by squares"), std::string::npos) << cut.err;
    EXPECT_EQ(sotto("estimate --registry M.json --store S --format html").exit, 0);
    EXPECT_EQ(sotto("inspect --registry M.json r.bin").exit, 0);
    expect_refused(command + " --box 1:2", "--box: \"1:2\" is not X0:X1,Y0:Y1");
    expect_refused(command + " --box 3:2,0:1", "--box: \"3:2,0:1\" is not X0:X1,Y0:Y1");
    expect_refused(command + " --box 3:8,0:1", "--box: 3:8,0:1: the last cell is 7");
    expect_refused("estimate --registry M.json --store S --metric haar --box 0:1,0:1",
                   "--box: no metric that is asked for is a location");
    expect_refused(command + " --range 0:1", "--range: no metric that is asked for is a histogram");
    (void)in_.file("bad.csv", "gateway,points\n1,3|4\n");
    expect_refused("simulate --registry M.json --input bad.csv --map squares=points --out x",
                   "\"3|4\" is not points X:Y");
}

TEST_F(PlacesProgram, IsReadByEveryCommand) {
    ingest();
    for (const char *command :
         {"epsilon --registry M.json", "epsilon --registry M.json --format json",
          "epsilon --registry M.json --horizon 30", "tally --registry M.json --store S",
          "verify --store S", "estimate --registry M.json --store S",
          "estimate --registry M.json --store S --all-epochs --coalition 3",
          "estimate --registry M.json --store S --format html",
          "estimate --registry M.json --store S --format csv --range 0:3",
          "inspect --registry M.json r.bin"}) {
        const program_result found = sotto(command);
        EXPECT_EQ(found.exit, 0) << command << ": " << found.err;
    }
    const std::string page =
        sotto("estimate --registry M.json --store S --metric haar --format html").out;
    EXPECT_NE(page.find("Means of"), std::string::npos);
    EXPECT_EQ(page.find("mean of a device"), std::string::npos);
}

TEST_F(PlacesProgram, NamesEachMistake) {
    ingest();
    const std::string estimate = "estimate --registry M.json --store S ";
    expect_refused(estimate + "--range 3", "--range: \"3\" is not LOW:HIGH");
    expect_refused(estimate + "--range 5:3", "--range: \"5:3\" is not LOW:HIGH");
    expect_refused(estimate + "--range a:3", "--range: \"a:3\" is not LOW:HIGH");
    expect_refused(estimate + "--range 3:12", "--range: 3:12: the last bin is 11");
    expect_refused(estimate + "--metric flag --range 3:4", "no metric that is asked for is a");
    (void)in_.file("bad.csv", "gateway,points\n1,3|x\n");
    expect_refused("simulate --registry M.json --input bad.csv --map haar=points --out x",
                   "\"3|x\" is not bins with '|'");
}

TEST_F(PlacesProgram, SaysWhatIsPromisedOfPoints) {
    const program_result text = sotto("epsilon --registry M.json");
    ASSERT_EQ(text.exit, 0) << text.err;
    std::string flat = text.out;
    for (std::size_t at = flat.find('\n'); at != std::string::npos; at = flat.find('\n')) {
        flat.replace(at, flat.find_first_not_of("\n ", at) - at, " ");
    }
    for (const char *part :
         {"2 cells apart at most in each of its numbers", "Promised to each source of points",
          "epsilon of a source", "of the same source",
          "A source of points, in every metric that counts them: epsilon 11 an epoch",
          "An epoch of all values: epsilon 1.",
          "any two places of a point that are 1 bin apart at most", "each of a source's 2 points",
          "The gateway is trusted", "how many points there are"}) {
        EXPECT_NE(flat.find(part), std::string::npos) << part << "\n" << text.out;
    }
}

// Epsilon of a source is of points that move a little: values lose theirs whatever they are.
TEST_F(PlacesProgram, NeverAddsSourcesToValues) {
    const json promise = json::parse(sotto("epsilon --registry M.json --format json").out);
    EXPECT_EQ(promise["spending"]["epoch_top"], 1);
    EXPECT_EQ(promise["spending_of_a_source"]["epoch_top"], 11);
    for (const json &m : promise["metrics"]) {
        EXPECT_EQ(m["protects"], m["name"] == "flag" ? "every report" : "one source of points");
    }
    const json horizon =
        json::parse(sotto("epsilon --registry M.json --horizon 1 --format json").out);
    EXPECT_EQ(horizon["device"]["values"][0], 1);
    EXPECT_EQ(horizon["sources"]["values"][0], 11);
    EXPECT_EQ(horizon["metrics"][0]["protects"], "source");
    const std::string table = sotto("epsilon --registry M.json --horizon 1").out;
    EXPECT_NE(table.find("the whole gateway, a source"), std::string::npos) << table;
    ingest();
    const std::string page = sotto("estimate --registry M.json --store S --format html").out;
    EXPECT_NE(page.find("One report of one gateway"), std::string::npos);
    EXPECT_EQ(page.find("One answer of one device"), std::string::npos);
}

plan_request boxes(std::uint32_t side, std::uint32_t delta) {
    plan_request request;
    request.type = "location";
    request.devices = 10;
    request.epsilon = 1;
    request.cells = 60;
    request.delta = delta;
    request.points = 100;
    request.range = side;
    return request;
}

// Boxes of one cell and squares of one: a row's noise. Larger boxes that move little: more grids.
TEST(Squares, ArePlannedByTheBox) {
    plan_request request = boxes(1, 1);
    request.cells = 8;
    const plan single = make_plan(request);
    ASSERT_EQ(single.options.size(), 1u);
    EXPECT_NEAR(std::pow(single.chosen().std_error, 2), discrete_laplace_variance(0.5) / 10, 1e-9);
    const plan few = make_plan(boxes(12, 12)), many = make_plan(boxes(12, 4));
    EXPECT_EQ(few.chosen().parameters, "one grid of 12");
    EXPECT_NE(many.toml().find("type = \"location\"\ncells = 60\ndelta = 4\nwidth = "),
              std::string::npos);
    for (const plan_option &other : many.options) {
        EXPECT_GE(other.std_error * 1.06, many.chosen().std_error) << other.parameters;
    }
    EXPECT_FALSE(many.devices_for(many.chosen())) << "no share of anything";
    request.range.reset();
    EXPECT_THROW((void)make_plan(request), usage_error);
}

} // namespace
} // namespace sotto::aggregator::test
