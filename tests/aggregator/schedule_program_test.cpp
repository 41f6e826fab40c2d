// SPDX-License-Identifier: Apache-2.0
// sotto schedule, as a person calls it.
#include "run_program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace sotto::aggregator::test {
namespace {

const char *const head = "[registry]\nname = \"budgets\"\nversion = 1\n";
const char *const busy = "[[metric]]\nid = 1\nname = \"busy\"\ntype = \"boolean\"\n"
                         "epsilons = [2, 4, 6, 8]\nwindow_epochs = 4\nwindow_epsilon = 24\n";

class Schedule : public testing::Test {
  protected:
    void compile(const std::string &toml) {
        std::ofstream(directory_ / "metrics.toml") << head << toml;
        const std::string command = SOTTO_PYTHON " -B " SOTTO_COMPILER " compile " +
                                    (directory_ / "metrics.toml").string() + " --out " +
                                    (directory_ / "").string() + " >/dev/null";
        ASSERT_EQ(std::system(command.c_str()), 0);
    }
    void write(const std::string &name, const std::string &text) {
        std::ofstream(directory_ / name) << text;
    }
    program_result run(const std::string &arguments) const {
        return run_program(directory_, "schedule " + arguments);
    }
    // A mistake: one line, and nothing else.
    std::string refusal(const std::string &arguments) const {
        const program_result r = run(arguments);
        EXPECT_EQ(r.exit, 2) << arguments;
        EXPECT_EQ(r.out, "");
        EXPECT_EQ(r.err.find('\n'), r.err.size() - 1) << r.err;
        return r.err;
    }

    temporary_directory directory_;
};

const char *const of_busy = "--registry metrics.json --metric busy --probability 0.5";

TEST_F(Schedule, SaysThePolicyBesideTheOthers) {
    compile(busy);
    const program_result asked = run(of_busy);
    EXPECT_EQ(asked.exit, 0) << asked.err;
    for (const char *line : {"busy: measured in an epoch with probability 0.5, epsilon 24 in any 4 "
                             "epochs\n",
                             "  best table              6.8  125 bytes in flash\n",
                             "  equal shares              8  level 2 in every epoch\n",
                             "  linear rule, rounded  8.26", "\npolicy = [\n    3, 3, 3, 3, 2, "}) {
        EXPECT_NE(asked.out.find(line), std::string::npos) << line << asked.out;
    }
}

TEST_F(Schedule, SaysTheSameInEveryFormat) {
    compile(busy);
    const auto json = nlohmann::json::parse(run(std::string(of_busy) + " --format json").out);
    EXPECT_NEAR(json.at("error").get<double>(), 6.8, 1e-3);
    EXPECT_EQ(json.at("states"), 125);
    const auto policy = json.at("policy").get<std::vector<unsigned>>();
    const std::string csv = run(std::string(of_busy) + " --format csv").out;
    std::string expected = "state,history,level\n";
    for (std::size_t s = 0; s < policy.size(); ++s) {
        const auto digit = [](std::size_t d) { return d == 0 ? "-" : std::to_string(d - 1); };
        expected += std::to_string(s) + "," + digit(s / 25) + " " + digit(s / 5 % 5) + " " +
                    digit(s % 5) + "," + std::to_string(policy[s]) + "\n";
    }
    EXPECT_EQ(csv, expected);
    EXPECT_NE(run(of_busy).out.find(json.at("metrics_toml").get<std::string>()), std::string::npos);
}

// From the question to the device, which starts at the table's first level.
TEST_F(Schedule, IsWhatMetricsTomlTakes) {
    compile(busy);
    const auto json = nlohmann::json::parse(run(std::string(of_busy) + " --format json").out);
    compile(busy + json.at("metrics_toml").get<std::string>());
    const program_result epsilon = run_program(directory_, "epsilon --registry metrics.json");
    EXPECT_EQ(epsilon.exit, 0) << epsilon.err;
    EXPECT_NE(epsilon.out.find("A measurement starts at a level up to 3, by the levels of the 3 "
                               "epochs before it"),
              std::string::npos)
        << epsilon.out;
    EXPECT_NE(epsilon.out.find("2980.96 (e^8)"), std::string::npos) << "e^8";
    write("in.csv", "x\n1\n0\n");
    ASSERT_EQ(run_program(directory_, "simulate --registry metrics.json --input in.csv --map "
                                      "busy=x --out out.bin")
                  .exit,
              0);
    const std::string seen = run_program(directory_, "inspect --registry metrics.json out.bin").out;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), '\n'), 2);
    EXPECT_NE(seen.find("\"level\":3,"), std::string::npos) << seen;
    EXPECT_EQ(seen.find("\"level\":0,"), std::string::npos) << seen;
}

TEST_F(Schedule, OfAChangedMetricsJsonIsRefused) {
    compile(busy);
    const auto answer = nlohmann::json::parse(run(std::string(of_busy) + " --format json").out);
    compile(busy + answer.at("metrics_toml").get<std::string>());
    const auto sound = nlohmann::json::parse(read_file(directory_ / "metrics.json"));
    const auto refused = [&](const char *key, const nlohmann::json &value) {
        nlohmann::json changed = sound;
        changed["metrics"][0][key] = value;
        write("metrics.json", changed.dump());
        const program_result r = run_program(directory_, "epsilon --registry metrics.json");
        EXPECT_EQ(r.exit, 2);
        return r.err;
    };
    EXPECT_NE(refused("policy", {3, 3}).find("metrics[0].policy"), std::string::npos);
    auto levels = sound["metrics"][0]["policy"];
    levels[7] = 4;
    EXPECT_NE(refused("policy", levels).find("policy[7]"), std::string::npos);
    EXPECT_NE(refused("per_epoch", 2).find("one measurement an epoch"), std::string::npos);
}

TEST_F(Schedule, OfKnownSlotsIsTheOfflineOptimum) {
    write("w.csv", "day,weight\na,1\nb,0\nc,1\nd,1\ne,0\nf,0\ng,1\nh,1\n");
    const program_result csv = run("--weights w.csv --window 4 --epsilon 1 --format csv");
    EXPECT_EQ(csv.exit, 0) << csv.err;
    EXPECT_EQ(csv.out.rfind("slot,weight,epsilon\n1,1,0.33333333", 0), 0u) << csv.out;
    EXPECT_NE(csv.out.find("\n2,0,0\n"), std::string::npos);
    const auto json =
        nlohmann::json::parse(run("--weights w.csv --window 4 --epsilon 1 --format json").out);
    EXPECT_NEAR(json.at("error").get<double>(), 35, 1e-6);
    EXPECT_EQ(json.at("error_of_equal_shares"), 80);
    double window = 0; // slots 1 to 4, as printed
    for (std::size_t i = 0; i < 4; ++i) {
        window += json.at("epsilons")[i].get<double>();
    }
    EXPECT_LE(window, 1);
}

TEST_F(Schedule, SaysWhatIsWrong) {
    compile(busy + std::string("[[metric]]\nid = 2\nname = \"free\"\ntype = \"boolean\"\n"
                               "epsilons = [1]\n"
                               "[[metric]]\nid = 3\nname = \"lengthy\"\ntype = \"boolean\"\n"
                               "epsilons = [0.1, 1]\nwindow_epochs = 30\nwindow_epsilon = 30\n"
                               "[[metric]]\nid = 4\nname = \"tight\"\ntype = \"boolean\"\n"
                               "epsilons = [1]\nwindow_epochs = 3\nwindow_epsilon = 2\n"));
    write("w.csv", "weight\n1\n-1\n");
    const std::string registry = "--registry metrics.json --probability 0.5 --metric ";
    const std::pair<std::string, const char *> wrong[] = {
        {"", "schedule: takes --registry"},
        {"--registry metrics.json", "--registry requires --metric"},
        {"--registry metrics.json --metric busy --probability 0", "0 is not from 0.001 to 1"},
        {registry + "bust", "no metric \"bust\"; there are busy, free, lengthy, tight"},
        {registry + "free", "metric \"free\": has no window_epochs of 2 or more"},
        {registry + "lengthy", "metric \"lengthy\": has a table of 6.863e+13 states"},
        {registry + "tight", "metric \"tight\": the lowest level does not fit"},
        {"--weights w.csv", "--weights requires --window"},
        {"--weights w.csv --window 4 --epsilon 0", "--epsilon: 0 is not from 0.001 to 2000"},
        {"--weights w.csv --window 4 --epsilon 1 --column x", "no column \"x\"; there are weight"},
        {"--weights w.csv --window 4 --epsilon 1", "w.csv: row 2 (line 3): \"-1\" is no weight"},
        {"--weights w.csv --window 65 --epsilon 1", "not a whole number from 1 to 64"}};
    for (const auto &[arguments, said] : wrong) {
        EXPECT_NE(refusal(arguments).find(said), std::string::npos) << arguments << said;
    }
}

} // namespace
} // namespace sotto::aggregator::test
