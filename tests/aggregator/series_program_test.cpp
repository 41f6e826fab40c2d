// SPDX-License-Identifier: Apache-2.0
// Counters through the program: events in a table, a fleet's reports, a store, estimates.
#include "run_program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

class CounterProgram : public testing::Test {
  protected:
    void SetUp() override { (void)in_.file("M.json", read_file(SOTTO_COUNTERS)); }

    program_result sotto(const std::string &arguments) { return run_program(in_, arguments); }

    // 40 devices over 12 days: device d has d % 3 + 1 events a day.
    std::string events() const {
        std::string text = "device,day,opened\n";
        for (int day = 0; day < 12; ++day) {
            for (int d = 0; d < 40; ++d) {
                for (int i = 0; i <= d % 3; ++i) {
                    text += fmt::format("d{},1990-01-{:02},{}\n", d, day + 1, i + 1);
                }
            }
        }
        return text;
    }

    void ingest() {
        (void)in_.file("events.csv", events());
        const program_result made =
            sotto("simulate --registry M.json --input events.csv --device device --epoch-column "
                  "day --map steps,doors=opened --seed 00 --out r.bin");
        ASSERT_EQ(made.exit, 0) << made.err;
        // Every metric of the registry counts, also those without events.
        EXPECT_TRUE(made.out.starts_with("40 devices, epochs 7305 to 7316, ")) << made.out;
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

TEST_F(CounterProgram, HasASheetThatSpeaksOfEvents) {
    const program_result sheet = sotto("datasheet --registry M.json --format json");
    ASSERT_EQ(sheet.exit, 0) << sheet.err;
    EXPECT_NE(sheet.out.find("epsilon of one event"), std::string::npos);
    EXPECT_NE(sheet.out.find("Epsilon is of one event, in all sums that count it."),
              std::string::npos);
}

TEST_F(CounterProgram, EstimatesWhatAFleetCounted) {
    ingest();
    const program_result found =
        sotto("estimate --registry M.json --store S --metric steps --window 7 --format json");
    ASSERT_EQ(found.exit, 0) << found.err;
    const json rows = json::parse(found.out);
    ASSERT_EQ(rows.size(), 36u);
    const json &last = rows.back();
    EXPECT_EQ(rows[35]["value"], "prefix");
    EXPECT_EQ(rows[34]["value"], "window 7");
    EXPECT_EQ(last["epochs"], 12);
    EXPECT_EQ(last["reports"], 40);
    // 79 events a day; noise of 12 epochs and 40 devices has a standard error of 29.7.
    EXPECT_NEAR(last["total"], 12 * 79, 6.2 * 29.7);
    EXPECT_NEAR(last["total_std_error"], 29.7, 0.1);
    EXPECT_NEAR(last["estimate"].get<double>() * 40, last["total"], 1e-6);
    EXPECT_EQ(last.contains("monotone"), true);
    EXPECT_FALSE(rows[34].contains("monotone"));
    const program_result text = sotto("estimate --registry M.json --store S --metric steps");
    EXPECT_NE(text.out.find("extra: monotone "), std::string::npos) << text.out;
}

TEST_F(CounterProgram, IsReadByEveryCommand) {
    ingest();
    for (const char *command :
         {"epsilon --registry M.json", "epsilon --registry M.json --format json",
          "tally --registry M.json --store S", "verify --store S", "close --store S --epoch 7310",
          "estimate --registry M.json --store S", "estimate --registry M.json --store S --smoothed",
          "estimate --registry M.json --store S --decay 0.9 --window 30 --format csv",
          "estimate --registry M.json --store S --all-epochs --coalition 3",
          "estimate --registry M.json --store S --format html",
          "estimate --registry M.json --store S --epoch 7310 --metric heat",
          "expire --store S --epoch 7310", "estimate --registry M.json --store S --metric doors"}) {
        const program_result found = sotto(command);
        EXPECT_EQ(found.exit, 0) << command << ": " << found.err;
        EXPECT_FALSE(found.out.empty() && std::string(command).starts_with("e")) << command;
    }
    EXPECT_EQ(sotto("inspect --registry M.json r.bin").exit, 0);
    expect_refused("tighten --registry M.json --metric steps --level 0 --out t.bin r.bin",
                   "steps has one level");
    expect_refused("estimate --registry M.json --store S --metric steps --level 1", "--level");
    for (const std::string decay : {"nan", "1", "0", "-0.5", "inf", "a", ""}) {
        expect_refused("estimate --registry M.json --store S --decay '" + decay + "'",
                       "--decay: \"" + decay + "\" is not a number from 1e-06 to 0.999999999");
    }
    expect_refused("joint --registry M.json --metrics steps,flag r.bin", "steps");
}

// 400 events of 3 an epoch: 1,200 an epoch. Noise of a row is beyond 220 once in 10^10.
TEST_F(CounterProgram, InspectShowsRowsFromTheLeafUpAndSigned) {
    std::string text = "device,epoch,amount\n";
    for (int epoch = 4; epoch < 8; ++epoch) {
        for (int i = 0; i < 400; ++i) {
            text += fmt::format("a,{},3\n", epoch);
        }
    }
    (void)in_.file("events.csv", text);
    ASSERT_EQ(sotto("simulate --registry M.json --input events.csv --device device --epoch-column "
                    "epoch --map doors=amount --seed 00 --out r.bin")
                  .exit,
              0);
    const program_result found = sotto("inspect --registry M.json r.bin");
    ASSERT_EQ(found.exit, 0) << found.err;
    const std::vector<std::vector<double>> expected = {
        {1200}, {1200, 2400}, {1200}, {1200, 2400, 4800}};
    std::size_t seen = 0;
    int negative = 0;
    std::istringstream lines(found.out);
    for (std::string line; std::getline(lines, line);) {
        const json report = json::parse(line);
        const auto numbers = report["value"].get<std::vector<double>>();
        if (report["metric"] != 2) { // nobody counts these
            negative += numbers.at(0) < 0 ? 1 : 0;
            EXPECT_LT(std::abs(numbers.at(0)), 1000) << line;
            continue;
        }
        const std::vector<double> &rows = expected.at(report["epoch"].get<std::size_t>() - 4);
        ASSERT_EQ(numbers.size(), rows.size()) << line;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_NEAR(numbers[i], rows[i], 220) << line;
        }
        ++seen;
    }
    EXPECT_EQ(seen, expected.size());
    EXPECT_GT(negative, 0);
}

// A page shows the newest epochs; its sums have the older ones, and any epoch can be asked for.
TEST_F(CounterProgram, ChartsSumsOverTimeWithBands) {
    ingest();
    const program_result page =
        sotto("estimate --registry M.json --store S --metric doors --window 7 --format html");
    ASSERT_EQ(page.exit, 0) << page.err;
    for (const char *sum : {"epoch", "window 7", "prefix"}) {
        const std::string chart = fmt::format("Line chart with a band, 12 epochs: doors, {};", sum);
        EXPECT_NE(page.out.find(chart), std::string::npos) << chart;
    }
}

TEST_F(CounterProgram, ShowsFewEpochsOfWholeSums) {
    std::string events = "device,day,opened\n";
    for (int day = 1; day <= 1100; ++day) {
        events += fmt::format("d,{},1\n", day);
    }
    (void)in_.file("events.csv", events);
    ASSERT_EQ(sotto("simulate --registry M.json --input events.csv --device device --epoch-column "
                    "day --map steps --seed 00 --out r.bin")
                  .exit,
              0);
    ASSERT_EQ(sotto("ingest --registry M.json --store S r.bin").exit, 0);
    const std::string start = "estimate --registry M.json --store S --metric steps ";
    const program_result page = sotto(start + "--format html --out p.html");
    EXPECT_NE(page.err.find("not shown: epochs 1 to 100, older than these"), std::string::npos)
        << page.err;
    const json whole = json::parse(sotto(start + "--format json").out);
    EXPECT_EQ(whole.back()["epochs"], 1100);
    const std::string shown = read_file(in_ / "p.html");
    const std::string last = fmt::format("{:.0f}", whole.back()["estimate"].get<double>());
    EXPECT_NE(shown.find(last), std::string::npos) << "not the sum of 1,000 epochs: " << last;
    const json old = json::parse(sotto(start + "--epoch 50 --format json").out);
    ASSERT_EQ(old.size(), 2u);
    EXPECT_EQ(old[1]["epochs"], 50);
    EXPECT_EQ(sotto(start + "--epoch 50 --format html --out p.html").exit, 0);
}

// The same numbers by way of parts that were tallied apart.
TEST_F(CounterProgram, IsTalliedInParts) {
    ingest();
    ASSERT_EQ(sotto("tally --registry M.json --store S --part 0/2 --out a").exit, 0);
    ASSERT_EQ(sotto("tally --registry M.json --store S --part 1/2 --out b").exit, 0);
    ASSERT_EQ(sotto("merge --registry M.json --out ab a b").exit, 0);
    ASSERT_EQ(sotto("tally --registry M.json --store S --out all").exit, 0);
    EXPECT_EQ(read_file(in_ / "ab"), read_file(in_ / "all"));
}

TEST_F(CounterProgram, SaysWhatIsPromisedOfEvents) {
    const program_result text = sotto("epsilon --registry M.json");
    ASSERT_EQ(text.exit, 0) << text.err;
    for (const char *part :
         {"One event, in every counter that counts it: epsilon 5.", "An epoch of all values",
          "one event of at most 3 units", "k events lose k times as much", "epsilon of an event",
          "age", "sotto_reopen()"}) {
        EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
    }
    // Weights 4, 2, 1: the curve of ages.
    for (const auto &[age, width] : {std::pair{0, 17}, {1, 26}, {2, 30}}) {
        const std::string end = "  " + std::string(static_cast<std::size_t>(width), '#') + "\n";
        const std::size_t line =
            text.out.find(fmt::format("\n  {}    ", age), text.out.find("  age  "));
        ASSERT_NE(line, std::string::npos);
        EXPECT_TRUE(
            std::string_view(text.out).substr(0, text.out.find('\n', line + 1) + 1).ends_with(end))
            << age;
    }
    const json promise = json::parse(sotto("epsilon --registry M.json --format json").out);
    EXPECT_EQ(promise["one_event"], 5);
    EXPECT_EQ(promise["spending"]["epoch_first"], 1) << "of the flag alone";
    EXPECT_EQ(promise["metrics"][2]["protects"], "one event");
    EXPECT_NEAR(promise["metrics"][2]["epsilon_by_age"][0]["epsilon"], 8.0 / 7, 1e-9);
}

TEST_F(CounterProgram, RefusesTablesOfEventsThatAreNone) {
    (void)in_.file("e.csv", "who,when,much\na,5,1\nb,x,1\n");
    (void)in_.file("n.csv", "who,when,much\na,5,1\nb,6,many\n");
    (void)in_.file("d.csv", "who,when,much\na,1990-02-30,1\n");
    (void)in_.file("far.csv", "who,when,much\na,1,1\na,3000000,1\n");
    (void)in_.file("nobody.csv", "who,when,much\n,1,1\n");
    (void)in_.file("none.csv", "who,when,much\n");
    const std::string start = "simulate --registry M.json --out o.bin --device who --input ";
    const std::string end = " --epoch-column when --map steps=much";
    expect_refused(start + "e.csv" + end, "row 2 (line 3): column \"when\": \"x\" is no epoch");
    expect_refused(start + "n.csv" + end,
                   "row 2 (line 3): column \"much\": \"many\" is not a whole");
    expect_refused(start + "d.csv" + end, "\"1990-02-30\" is no epoch");
    expect_refused(start + "far.csv" + end, "epochs 1 to 3000000; 1,000,000 at most");
    expect_refused(start + "nobody.csv" + end, "is no device");
    expect_refused(start + "none.csv" + end, "--input: there is no row");
    expect_refused(start + "e.csv --map steps", "--device, --epoch-column");
    expect_refused(start + "e.csv --epoch-column when --map flag", "only a counter counts rows");
    expect_refused("simulate --registry M.json --out o.bin --input e.csv --map steps=much",
                   "is a counter; its events need --device and --epoch-column");
    expect_refused(start + "e.csv --epoch-column when --map steps,steps", "mapped twice");
    expect_refused(start + "e.csv --epoch-column then --map steps", "no column \"then\"");
    expect_refused(start + "e.csv --epoch 4" + end, "--epoch-column: not with --epoch");
    EXPECT_FALSE(std::filesystem::exists(in_ / "o.bin"));
}

TEST_F(CounterProgram, CountsDatesByTheCalendarOfItsRegistry) {
    json weekly = json::parse(read_file(SOTTO_COUNTERS));
    weekly["words"] = {{"epoch_days", 7}, {"epoch_start", "2024-01-01"}};
    (void)in_.file("weeks.json", weekly.dump());
    (void)in_.file("days.csv", "who,when\na,2024-01-14\na,2024-01-15\na,2024-01-29\n");
    (void)in_.file("early.csv", "who,when\na,2023-12-31\n");
    const std::string start = "simulate --registry weeks.json --out o.bin --device who "
                              "--epoch-column when --map steps --input ";
    const program_result made = sotto(start + "days.csv");
    ASSERT_EQ(made.exit, 0) << made.err;
    EXPECT_TRUE(made.out.starts_with("1 device, epochs 1 to 4, ")) << made.out;
    expect_refused(start + "early.csv", "\"2023-12-31\" is before epoch_start of the registry");
}

TEST_F(CounterProgram, PlansByTheWindow) {
    const std::string start = "plan --type counter --devices 1 --epsilon 1 --window ";
    for (const auto &[window, use, error] : {std::tuple{"1", "identity", 1.36},
                                             {"7", "identity", 3.59},
                                             {"30", "identity", 7.43},
                                             {"90", "tree of 8, 2 levels", 10.7},
                                             {"365", "tree of 16, 2 levels", 15.5}}) {
        const program_result found = sotto(start + window + " --format json");
        ASSERT_EQ(found.exit, 0) << found.err;
        const json made = json::parse(found.out)["recommended"];
        EXPECT_EQ(made["parameters"], use) << window;
        EXPECT_NEAR(made["std_error"].get<double>() / error, 1, 0.03) << window;
    }
    const program_result text = sotto(start + "30");
    EXPECT_NE(text.out.find("use noised_sum: identity"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("strategy = \"identity\""), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("of one event"), std::string::npos) << text.out;
    expect_refused("plan --type counter --devices 1 --epsilon 1", "--window: missing");
    expect_refused("plan --type boolean --devices 1 --epsilon 1 --window 7", "--window");
    expect_refused(start + "7 --floor 0.1", "--floor: a counter has none");
    expect_refused(start + "7 --epsilon-per-day 1", "--epsilon-per-day: a counter has none");
}

// A device counts and reports each day; a value is reported once a day.
TEST_F(CounterProgram, SimulatesDevicesOverSeveralEpochs) {
    std::string text = "who,when,open,steps\n";
    for (int day = 1; day <= 3; ++day) {
        for (int d = 0; d < 400; ++d) {
            text += fmt::format("d{},{},{},2.4\n", d, day, d % 4 == 0 ? "ajar" : "shut");
        }
    }
    (void)in_.file("rows.csv", text + "d7,3,ajar,\n");
    const std::string whole = "simulate --registry M.json --out r.bin --device who --epoch-column "
                              "when --input rows.csv --seed 00 --map flag=open,steps=steps";
    const program_result made = sotto(whole + " --true flag=ajar --scale steps=10");
    ASSERT_EQ(made.exit, 0) << made.err;
    EXPECT_TRUE(made.out.starts_with("400 devices, epochs 1 to 3, ")) << made.out;
    EXPECT_NE(made.out.find("1 value not reported: "), std::string::npos) << made.out;
    ASSERT_EQ(sotto("ingest --registry M.json --store S r.bin --strict").exit, 0);
    const program_result found = sotto("estimate --registry M.json --store S --all-epochs "
                                       "--metric flag --format json");
    ASSERT_EQ(found.exit, 0) << found.err;
    const json rows = json::parse(found.out);
    std::uint64_t reports = 0;
    for (const json &row : rows) {
        const double sigma = row["std_error"];
        EXPECT_NEAR(row["estimate"], 300, 6.2 * sigma);
        reports += row["reports"].get<std::uint64_t>();
    }
    EXPECT_EQ(reports, 1200u);
    expect_refused(whole + " --true flag=ajar", "\"2.4\" is not a whole number; --scale "
                                                "steps=100 takes hundredths");
    expect_refused(whole + " --scale flag=10", "--scale: \"flag\" has no numbers");
    expect_refused(whole + " --scale steps=0", "--scale: \"0\" is not within 1 to 1,000,000,000");
    expect_refused(whole + " --scale heat=10", "--scale: --map has no metric \"heat\"");
    expect_refused("simulate --registry M.json --out r.bin --device who --epoch-column when "
                   "--input rows.csv --map flag",
                   "flag=COLUMN says its values");
}

// As docs/STREAMS.md has them.
TEST_F(CounterProgram, PlansByThePrefixAndByTheDecay) {
    const std::string start = "plan --type counter --devices 1 --epsilon 1 --format json ";
    const auto error = [&](const std::string &asked, const std::string &parameters) {
        const json made = json::parse(sotto(start + asked).out);
        for (const json &way : made["alternatives"]) {
            if (way["parameters"] == parameters) {
                return way["std_error"].get<double>();
            }
        }
        return 0.0;
    };
    for (const auto &[asked, parameters, published] :
         {std::tuple{"--prefix 1024", "identity", 30.7},
          {"--prefix 1024", "tree of 8, 3 levels", 15.3},
          {"--prefix 1024", "tree of 16, 3 levels", 16.9},
          {"--prefix 1024", "balanced, 13 of 3", 13.0},
          {"--prefix 1024", "pan_private, 10 levels", 51.6},
          {"--prefix 65536", "identity", 246},
          {"--prefix 65536", "tree of 8, 5 levels", 31.0},
          {"--prefix 65536", "tree of 16, 4 levels", 30.2},
          {"--prefix 65536", "balanced, 21 of 4", 24.7},
          {"--decay 0.5", "identity", 1.57},
          {"--decay 0.5", "weights, 8 bits", 2.82}}) {
        EXPECT_NEAR(error(asked, parameters) / published, 1, 0.01) << asked << ", " << parameters;
    }
    const json total = json::parse(sotto(start + "--prefix 1024").out)["recommended"];
    EXPECT_EQ(total["parameters"], "balanced, 13 of 3");
    EXPECT_EQ(total["remark_kind"], "total_only");
    const json made = json::parse(sotto(start + "--decay 0.5").out);
    EXPECT_EQ(made["recommended"]["parameters"], "identity");
    EXPECT_EQ(made["alternatives"].back()["remark_kind"], "decayed_at_host");
    EXPECT_TRUE(made["recommended"]["devices_needed"].is_null()) << "no share of anything";
    expect_refused("plan --type counter --devices 1 --epsilon 1 --window 7 --decay 0.5",
                   "one of --window, --prefix and --decay");
}

// The errors of the asked sum and of an epoch, of a device and of all of them.
TEST_F(CounterProgram, PlansForSoManyDevices) {
    const program_result single = sotto("plan --type counter --devices 1 --epsilon 1 --window 30");
    const program_result many = sotto("plan --type counter --devices 100 --epsilon 1 --window 30");
    EXPECT_EQ(single.out.find("devices for"), std::string::npos) << single.out;
    EXPECT_NE(many.out.find("± of all devices  ± of an epoch"), std::string::npos) << many.out;
    EXPECT_NE(many.out.find("1.46               146          0.266"), std::string::npos)
        << many.out;
    const program_result wanted =
        sotto("plan --type counter --devices 100 --epsilon 1 --window 30 --accuracy 1");
    EXPECT_NE(wanted.out.find("devices for wanted"), std::string::npos) << wanted.out;
}

// Amounts below 0 or above `event`, and events of epoch 0, are said.
TEST_F(CounterProgram, LosesNothingSilently) {
    (void)in_.file("e.csv", "who,when,much\na,0,1\na,1,9\na,2,-4\na,2,1\n");
    const program_result found =
        sotto("simulate --registry M.json --out o.bin --device who --input e.csv --epoch-column "
              "when --map steps=much --seed 00");
    ASSERT_EQ(found.exit, 0) << found.err;
    EXPECT_NE(found.out.find("2 values adapted: 2 clamped to the range"), std::string::npos)
        << found.out;
    EXPECT_NE(found.out.find("1 event not counted: of epoch 0"), std::string::npos) << found.out;
}

} // namespace
} // namespace sotto::aggregator::test
