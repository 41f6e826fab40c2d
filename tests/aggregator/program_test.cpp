// SPDX-License-Identifier: Apache-2.0
// The program as scripts see it: flags, exit codes, JSON, and what is left on the disk.
#include "run_program.hpp"
#include "support.hpp"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

class Program : public testing::Test {
  protected:
    Program() {
        registry_ = directory_.file("metrics.json", registry_text());
        store_ = (directory_ / "store").string();
    }

    program_result run(const std::string &arguments, const std::string &before = ":") const {
        return run_program(directory_, arguments, before);
    }

    program_result ingest(const std::string &files, const std::string &before = ":") const {
        return run("ingest --registry metrics.json --store store " + files, before);
    }

    json estimate(const std::string &more = "") const {
        const program_result r =
            run("estimate --registry metrics.json --store store --format json " + more);
        EXPECT_EQ(r.exit, 0) << r.err;
        return json::parse(r.out);
    }

    // Exit code, and one line on standard error that says `what`.
    static void expect_refused(const program_result &r, int exit, const std::string &what) {
        EXPECT_EQ(r.exit, exit) << r.err;
        EXPECT_TRUE(r.err.starts_with("sotto: ")) << r.err;
        EXPECT_NE(r.err.find(what), std::string::npos) << r.err;
        EXPECT_EQ(r.err.find('\n'), r.err.size() - 1) << r.err;
        EXPECT_EQ(r.out, "");
    }

    temporary_directory directory_;
    std::string registry_, store_;
};

TEST_F(Program, UsageErrorsExitWithTwo) {
    EXPECT_EQ(run("--help").exit, 0);
    EXPECT_EQ(run("--version").exit, 0);
    EXPECT_TRUE(run("--version").out.starts_with("sotto "));
    EXPECT_NE(run("ingest --help").out.find("--strict"), std::string::npos);
    expect_refused(run("bogus"), 2, "unexpected argument: \"bogus\" (see sotto --help)");
    expect_refused(run("estimat --store s"), 2, "\"estimat\"; did you mean estimate?");
    expect_refused(run("estiamte"), 2, "; did you mean estimate?");
    expect_refused(run("in.bin ingest --store s"), 2,
                   "; the command comes first: sotto ingest ...");
    expect_refused(run("estimate --bogus"), 2, "unexpected argument: \"--bogus\" (see sotto est");
    for (const std::string rest :
         {"--regstry metrics.json --store store", "--store store --registyr=metrics.json",
          "--registry metrics.json --store store --regisrty metrics.json"}) {
        expect_refused(run("estimate " + rest), 2, "\"; did you mean --registry? (see sotto est");
    }
    // Arguments without their options, in whatever order.
    expect_refused(run("ingest in.bin store metrics.json"), 2,
                   "--registry is required; expected: sotto ingest --registry M.json --store DIR "
                   "FILE... (see sotto ingest --help)");
    expect_refused(run("inspect"), 2,
                   "expected: sotto inspect --registry M.json FILE (see sotto inspect --help)");
    expect_refused(run("estimate"), 2, "--registry");
    expect_refused(run("estimate --store store"), 2, "--registry");
    expect_refused(run("epsilon --registry metrics.json --nonsense"), 2, "sotto epsilon --help");
    expect_refused(run("epsilon --registry metrics.json --format html"), 2, "--format");
    expect_refused(run("epsilon --registry nowhere.json"), 2, "nowhere.json: No such file");
    expect_refused(run("epsilon --registry ."), 2, "sotto: .: Is a directory; one file is needed");
    expect_refused(run("estimate --registry . --store store"), 2, "Is a directory; one file is");
    expect_refused(ingest("."), 2, ".: Is a directory; name the files in it, as DIR/*\n");
    expect_refused(ingest("nowhere.bin"), 2, "nowhere.bin: No such file");
    expect_refused(run("estimate --registry metrics.json --store store"), 2,
                   "store: no such store");
    const auto expect_number = [&](const std::string &arguments, const std::string &what) {
        expect_refused(run(arguments), 2, what + " (see sotto ");
    };
    for (const std::string text : {"-1", "yesterday", "4294967296", "1.5", "0x10", "''"}) {
        expect_number("estimate --registry metrics.json --store . --epoch " + text,
                      "\" is not a whole number from 0 to 4294967295");
    }
    expect_number("close --store . --epoch yesterday",
                  "--epoch: \"yesterday\" is not a whole number from 0 to 4294967295");
    expect_number("estimate --registry metrics.json --store . --coalition -5",
                  "from 0 to 18446744073709551615");
    expect_number("serve --in reports --address none --max-waiting 4095",
                  "\"4095\" is not a whole number from 4096 to 18446744073709551615");
    expect_refused(run("estimate --registry metrics.json --store . --alphabet abc"), 2,
                   "--alphabet requires --discover (see sotto estimate --help)");
    expect_number("serve --in reports --port 80000",
                  "--port: \"80000\" is not a whole number from 0 to 65535");
    expect_number("serve --in reports --max-body 0",
                  "\"0\" is not a whole number from 1 to 1073741824");
    EXPECT_NE(run("tally --help").out.find("0/N to N-1/N"), std::string::npos);
    expect_number("plan --type boolean --devices many", "--devices: \"many\" is not a number");
}

TEST_F(Program, ABadRegistryIsOneLine) {
    directory_.file("bad.json", replaced(registry_text(), "\"id\": 7", "\"id\": 0"));
    expect_refused(run("epsilon --registry bad.json"), 2, "bad.json: metrics[1].id: 0 is not");
}

TEST_F(Program, IngestCountsAndExits) {
    wire_report good, bad;
    bad.release = "release2";
    bad.level = 9;
    directory_.file("good.bin", file_of(good));
    directory_.file("mixed.bin", file_of(good, bad));
    directory_.file("empty.bin", "");
    directory_.file("garbage.bin", "this is no report file, I'm afraid");

    // A file name does not speak to the terminal.
    const std::string escape = "\x1b[31m\xc2\x9b";
    directory_.file(escape, "garbage");
    EXPECT_EQ(ingest(escape + " good.bin").err,
              "sotto: \\x1b[31m\\xc2\\x9b: nothing readable: 1 truncated or not a report file\n");
    expect_refused(run("epsilon --registry $(printf '\\033c').json"), 2, "\\x1bc.json: No such");
    std::filesystem::remove_all(directory_ / "store");

    program_result r = ingest("good.bin");
    EXPECT_EQ(r.exit, 0);
    EXPECT_TRUE(r.out.starts_with("1 report from 1 envelope in ")) << r.out;
    EXPECT_TRUE(r.out.ends_with(", new store: store\n")) << r.out;
    EXPECT_EQ(r.err, "");
    r = ingest("--strict good.bin"); // as after a run that was stopped
    EXPECT_EQ(r.exit, 0);
    EXPECT_NE(r.out.find("\n1 duplicate, not counted again\n"), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find("new store"), std::string::npos) << r.out;
    EXPECT_EQ(ingest("--strict mixed.bin").exit, 1);
    r = ingest("mixed.bin");
    EXPECT_EQ(r.exit, 0);
    EXPECT_NE(
        r.out.find("\n1 duplicate, not counted again\nrejected 1: 1 level outside the ladder\n"),
        std::string::npos)
        << r.out;

    // A mistyped command leaves no store behind.
    std::filesystem::remove_all(directory_ / "store");
    EXPECT_EQ(ingest("nowhere.bin").exit, 2);
    EXPECT_EQ(ingest("empty.bin garbage.bin").exit, 2);
    EXPECT_FALSE(std::filesystem::exists(directory_ / "store"));
    r = ingest("empty.bin good.bin garbage.bin nowhere.bin");
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("empty.bin: nothing readable: empty\n"), std::string::npos) << r.err;
    EXPECT_NE(r.err.find("garbage.bin: nothing readable: 1 "), std::string::npos) << r.err;
    EXPECT_NE(r.err.find("nowhere.bin: No such file"), std::string::npos) << r.err;
    EXPECT_NE(r.out.find("  garbage.bin: 1 truncated"), std::string::npos) << r.out;
    EXPECT_EQ(estimate().at(0).at("reports"), 1);
}

TEST_F(Program, TheEnvironmentExitsWithThree) {
    directory_.file("good.bin", file_of(wire_report{}));
    directory_.file("plain", "a file");
    expect_refused(run("ingest --registry metrics.json --store plain/store good.bin"), 3, "plain");
    // Nothing fits; the next run finds a usable store all the same.
    expect_refused(ingest("good.bin", "trap '' XFSZ; ulimit -f 1"), 3, "run this again");
    EXPECT_EQ(ingest("good.bin").exit, 0);
    EXPECT_EQ(estimate().at(0).at("reports"), 1);
    expect_refused(run("estimate --registry metrics.json --store store --out /dev/full"), 3,
                   "No space left on device; make room and run this again: nothing is counted");
    const int status = std::system(
        (std::string("cd ") + (directory_ / "").string() +
         "; " SOTTO_PROGRAM " inspect --registry metrics.json good.bin >/dev/full 2>/dev/null")
            .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3);
}

// Under whatever name: it would be gone.
TEST_F(Program, NoCommandReplacesWhatItReads) {
    directory_.file("in.bin", file_of(wire_report{}));
    directory_.file("in.csv", "d\nyes\n");
    directory_.file("list", "a string\n");
    ASSERT_EQ(ingest("in.bin").exit, 0);
    ASSERT_EQ(run("keygen --out keys", "ln in.bin link; ln -s in.csv soft").exit, 0);
    ASSERT_EQ(run("tally --registry metrics.json --store store --part 0/1 --out t.tly").exit, 0);
    const std::map<std::string, std::string> before = tree(directory_ / "");
    const std::string with = " --registry metrics.json ";
    const std::string tighten = "tighten" + with + "--metric smoke --level 0 in.bin ";
    const std::string simulate = "simulate" + with + "--input in.csv --map damage=d ";
    const std::string estimate = "estimate --store store" + with;
    const std::string joint = "joint --metrics damage,smoke" + with + "in.bin ";
    const std::string relax =
        "request-relax --metric damage --level 1 --epochs 1 --serial 1" + with;
    const std::string merge = "merge" + with + "t.tly ";
    for (const std::string &arguments :
         {tighten + "--out in.bin", tighten + "--out link", tighten + "--out metrics.json",
          tighten + "--key keys --out $(echo keys/*.key)", simulate + "--out in.csv",
          simulate + "--out soft", simulate + "--key $(echo keys/*.pub) --out $(echo keys/*.pub)",
          estimate + "--out metrics.json", estimate + "--candidates list --out ./list",
          joint + "--out in.bin", joint + "--out ./metrics.json",
          joint + "--candidates damage=list --out list", relax + "--key list --out list",
          merge + "--out t.tly", "tally --store store" + with + "--out metrics.json"}) {
        const program_result r = run(arguments);
        EXPECT_NE(r.err.find(" is read here, and would be lost"), std::string::npos) << arguments;
        expect_refused(r, 2, "sotto: --out: ");
    }
    for (const std::string &arguments :
         {estimate + "--out store/ledger.sqlite", estimate + "--out store/page.html",
          "tally --store store" + with + "--out store/segments/any", merge + "--out store/lock",
          "watch --store store --out page.html --in store/segments" + with,
          std::string("serve --in store")}) {
        expect_refused(run(arguments), 2, "is in the store ");
    }
    EXPECT_EQ(tree(directory_ / ""), before);
    directory_.file("store.json", "of another program");
    EXPECT_EQ(run(estimate + "--out rows.json --format json").exit, 0);
    EXPECT_EQ(run(simulate + "--out other.csv").exit, 0);
    EXPECT_EQ(run(simulate + "--out other.csv").exit, 0) << "what is there is no input";
}

TEST_F(Program, IngestTwiceAtOnceCountsOnce) {
    std::string bytes;
    for (int i = 0; i < 2000; ++i) {
        wire_report r;
        r.release = "r" + std::to_string(1'000'000 + i);
        bytes += file_of(r);
    }
    directory_.file("in.bin", bytes);
    const std::string once = SOTTO_PROGRAM " ingest --registry metrics.json --store store in.bin";
    EXPECT_EQ(ingest("in.bin", once + " >/dev/null 2>&1 & :").exit, 0);
    EXPECT_EQ(run("ingest --registry metrics.json --store store in.bin").exit, 0);
    EXPECT_EQ(estimate().at(0).at("reports"), 2000);
}

TEST_F(Program, EstimateJsonHasItsSchema) {
    std::filesystem::create_directory(directory_ / "store");
    EXPECT_EQ(estimate(), json::array());
    wire_report first, other;
    other.release = "release2";
    other.metric = 7;
    other.level = 1;
    directory_.file("in.bin", file_of(first, other));
    ASSERT_EQ(ingest("in.bin").exit, 0);

    const json rows = estimate();
    ASSERT_EQ(rows.size(), 2u);
    const json &row = rows[0];
    EXPECT_EQ(row.size(), 15u);
    EXPECT_EQ(row.at("remarks").at(0).at("kind"), "too_few_reports");
    EXPECT_EQ(row.at("metric"), "damage");
    EXPECT_EQ(row.at("epoch"), 5);
    EXPECT_TRUE(row.at("level").is_null());
    EXPECT_DOUBLE_EQ(row.at("epsilon"), std::log(3));
    EXPECT_EQ(row.at("mechanism"), "randomized_response");
    EXPECT_EQ(row.at("value"), true);
    EXPECT_DOUBLE_EQ(row.at("estimate"), 1.5);
    EXPECT_DOUBLE_EQ(row.at("std_error"), std::sqrt(0.75));
    EXPECT_DOUBLE_EQ(row.at("ci_low"), 1.5 - 1.959963984540054 * std::sqrt(0.75));
    EXPECT_DOUBLE_EQ(row.at("ci_high"), 1.5 + 1.959963984540054 * std::sqrt(0.75));
    EXPECT_EQ(row.at("reports"), 1);
    EXPECT_EQ(row.at("consistent"), 1); // one and a half of one
    EXPECT_EQ(row.at("quantity"), "count");
    EXPECT_EQ(row.at("epsilon_all_levels"), row.at("epsilon"));
    EXPECT_EQ(estimate("--metric smoke --level 1").at(0).at("level"), 1);
    EXPECT_EQ(estimate("--level 0").size(), 1u);
    const json none = estimate("--epoch 6");
    ASSERT_EQ(none.size(), 1u);
    EXPECT_TRUE(none[0].at("estimate").is_null());
    EXPECT_EQ(none[0].at("remarks").at(0).at("kind"), "no_reports_of_epoch");
    EXPECT_EQ(estimate("--epoch 05"), rows);

    const std::string common = "estimate --registry metrics.json --store store ";
    const std::string csv = run(common + "--format csv --metric smoke").out;
    EXPECT_EQ(csv.substr(csv.find('\n'), 51),
              "\nsmoke,5,,1.0986122886681098,randomized_response,tr");
    const program_result table = run(common);
    EXPECT_NE(table.out.find("damage  150.0 %  0.0 % to 100.0 %  2  0 to 1  of"), std::string::npos)
        << table.out;
    EXPECT_NE(table.out.find("of 1 report  epsilon 1.0987\n"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("damage: too few reports for epsilon 1.0987 to say much"),
              std::string::npos)
        << table.out;
    EXPECT_EQ(run(common + "--format json --out e.json").out, "");
    EXPECT_EQ(json::parse(read_file(directory_ / "e.json")), rows);
    // A file stays when there is nothing to put in its place.
    for (const std::string format : {"csv", "json", "html", "table"}) {
        expect_refused(run(common + "--epoch 77 --out e.json --format " + format), 2,
                       "e.json: not written: there is nothing to estimate; no reports of epoch 77; "
                       "there are reports of epoch 5");
        EXPECT_EQ(json::parse(read_file(directory_ / "e.json")), rows);
    }
    expect_refused(run(common + "--metric fire"), 2, "no metric \"fire\"; the registry has damage");
}

TEST_F(Program, EpsilonJsonHasItsSchema) {
    const program_result r = run("epsilon --registry metrics.json --format json");
    ASSERT_EQ(r.exit, 0) << r.err;
    const json promised = json::parse(r.out);
    ASSERT_EQ(promised.at("metrics").size(), 2u);
    const json &smoke = promised["metrics"][1];
    EXPECT_EQ(smoke.at("name"), "smoke");
    EXPECT_EQ(smoke.at("mechanism"), "randomized_response");
    EXPECT_DOUBLE_EQ(smoke.at("joint"), std::log(3));
    EXPECT_EQ(smoke.at("random_bytes"), 8);
    EXPECT_EQ(smoke.at("release_random_bytes"), 24 + smoke.at("levels").size() * 8);
    EXPECT_EQ(smoke.at("report_bytes"), 22);
    EXPECT_EQ(smoke.at("joint_exact"), "1.09861228866810969139524523693");
    // A double does not hold them.
    EXPECT_EQ(smoke.at("table").at("flip").at(0), "4611686018427387904");
    EXPECT_EQ(smoke.at("pairs").at(0).at("levels"), json::array({0, 1}));
    EXPECT_EQ(smoke.at("forward"), json::array());
    EXPECT_TRUE(smoke.at("window").is_null());
    EXPECT_EQ(promised["metrics"][0].at("window").at("epsilon"), 8);
    ASSERT_EQ(smoke.at("levels").size(), 2u);
    const json &level = smoke["levels"][0];
    EXPECT_DOUBLE_EQ(level.at("nominal"), 0.511);
    EXPECT_DOUBLE_EQ(level.at("realised"), std::log(5.0 / 3));
    EXPECT_EQ(level.at("realised_exact"), "0.510825623765990683205514096304");
    EXPECT_DOUBLE_EQ(level.at("flip_probability"), 0.375);
    EXPECT_DOUBLE_EQ(level.at("probabilities").at("flip"), 0.375);
    EXPECT_EQ(level.at("cost"), 535640);
    // sqrt(1000 * 15/64) * 4
    EXPECT_DOUBLE_EQ(level.at("std_error").at(0).at("count"), 4 * std::sqrt(1000 * 15 / 64.0));
    EXPECT_EQ(level.at("std_error").at(2).at("reports"), 10'000'000);
    // All the digits of the registry, so that they can be checked by hand.
    EXPECT_NE(r.out.find("\"realised\": 0.510825623765990683205514096304"), std::string::npos);

    const program_result table = run("epsilon --registry metrics.json");
    EXPECT_NE(table.out.find("at most 3 (e^1.0987)"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("level 0: 4611686018427387904 (level 1 is flipped)"),
              std::string::npos);
}

TEST_F(Program, InspectPrintsOneLineAReport) {
    wire_report good, bad;
    bad.level = 9;
    directory_.file("in.bin", file_of(good, bad));
    const program_result r = run("inspect --registry metrics.json in.bin");
    EXPECT_EQ(r.exit, 0);
    EXPECT_EQ(r.out, R"({"metric":1,"epoch":5,"level":0,"release":"72656c6561736531",)"
                     R"("cohort":null,"value":true})"
                     "\n");
    EXPECT_EQ(r.err, "sotto: in.bin: rejected 1: 1 level outside the ladder\n");
    directory_.file("empty.bin", "");
    expect_refused(run("inspect --registry metrics.json empty.bin"), 2,
                   "empty.bin: nothing readable: empty");
    expect_refused(run("inspect --registry metrics.json metrics.json"), 2,
                   "metrics.json: nothing readable: ");
}

// In one line, whoever reads the file: which registry, and what to do.
TEST_F(Program, AnUnknownRegistryIsNamed) {
    wire_envelope other;
    other.registry = 0x4e010580;
    other.batch = wire_batch{}.bytes(wire_report{});
    directory_.file("other.bin", delimited(other.bytes()));
    directory_.file("mixed.bin", file_of(wire_report{}) + delimited(other.bytes()));
    const std::string why = "1 unknown registry (4e010580; give --registry the metrics.json with "
                            "this fingerprint)";
    expect_refused(run("inspect --registry metrics.json other.bin"), 2,
                   "other.bin: nothing readable: " + why);
    EXPECT_EQ(run("inspect --registry metrics.json mixed.bin").err,
              "sotto: mixed.bin: rejected 1: " + why + "\n");
    EXPECT_EQ(ingest("other.bin").err, "sotto: other.bin: nothing readable: " + why + "\n");
    for (int i = 0; i < 2; ++i) { // known the second time
        const program_result r = ingest("mixed.bin");
        EXPECT_EQ(r.exit, 0);
        EXPECT_NE(r.out.find("\nrejected 1: " + why + "\n"), std::string::npos) << r.out;
    }
}

wire_report of_metric(std::uint64_t metric) {
    wire_report r;
    r.metric = metric;
    r.index.reset();
    return r;
}

TEST_F(Program, InspectPrintsValuesByType) {
    wire_report phase = of_metric(2), parts = of_metric(4), aircraft = of_metric(5),
                speed = of_metric(6), axes = of_metric(7), height = of_metric(8),
                lights = of_metric(9);
    phase.index = 3;
    phase.index_bits = 2;
    parts.bits = "\x1f";
    aircraft.bits = "\x02\x80";
    aircraft.cohort = 3;
    speed.number = 0xffffffe2;
    axes.numbers = std::string("\5\0\0\0\xfb\xff\xff\xff\0\0\0\0", 12);
    height.index = 1;
    lights.index = 0;
    wire_envelope e;
    e.registry = every_type;
    e.batch = wire_batch{}.bytes(phase, parts, aircraft, speed, axes, height, lights);
    directory_.file("every.json", every_type_text());
    directory_.file("every.bin", delimited(e.bytes()));
    const program_result types = run("inspect --registry every.json every.bin");
    EXPECT_EQ(types.err, "");
    EXPECT_EQ(types.out, R"({"metric":2,"epoch":5,"level":0,"release":"72656c6561736531",)"
                         R"("cohort":null,"value":3})"
                         "\n"
                         R"({"metric":4,"epoch":5,"level":0,"release":"72656c6561736531",)"
                         R"("cohort":null,"value":"1f"})"
                         "\n"
                         R"({"metric":5,"epoch":5,"level":0,"release":"72656c6561736531",)"
                         R"("cohort":3,"value":"0280"})"
                         "\n"
                         R"({"metric":6,"epoch":5,"level":0,"release":"72656c6561736531",)"
                         R"("cohort":null,"value":-30})"
                         "\n"
                         R"({"metric":7,"epoch":5,"level":0,"release":"72656c6561736531",)"
                         R"("cohort":null,"value":[5,-5,0]})"
                         "\n"
                         R"({"metric":8,"epoch":5,"level":0,"release":"72656c6561736531",)"
                         R"("cohort":null,"value":1})"
                         "\n"
                         R"({"metric":9,"epoch":5,"level":0,"release":"72656c6561736531",)"
                         R"("cohort":null,"value":false})"
                         "\n");
}

std::string rows(int count, int every) {
    std::string text = "name,Damaged\n";
    for (int i = 0; i < count; ++i) {
        text += "\"bird, " + std::to_string(i) + "\"," + (i % every == 0 ? "yes" : "no") + "\n";
    }
    return text;
}

const std::string simulate =
    "simulate --registry metrics.json --input in.csv --out out.bin --map damage=Damaged ";

TEST_F(Program, SimulateIngestEstimate) {
    directory_.file("in.csv", rows(4000, 4));
    program_result r = run(simulate + "--seed 00ff --epoch 3");
    EXPECT_EQ(r.exit, 0) << r.err;
    EXPECT_NE(r.err.find("NOT private"), std::string::npos) << r.err;
    EXPECT_TRUE(r.out.starts_with("4,000 devices, 4,000 reports, ")) << r.out;
    const std::string once = read_file(directory_ / "out.bin");
    ASSERT_EQ(ingest("out.bin").exit, 0);
    const json row = estimate().at(0);
    EXPECT_EQ(row.at("reports"), 4000);
    EXPECT_EQ(row.at("epoch"), 3);
    EXPECT_NEAR(row.at("estimate"), 1000, 4.5 * row.at("std_error").get<double>());
    EXPECT_NEAR(row.at("std_error"), std::sqrt(4000 * 0.75), 1e-9);

    ASSERT_EQ(run(simulate + "--seed 00ff --epoch 3").exit, 0);
    EXPECT_EQ(read_file(directory_ / "out.bin"), once);
    ASSERT_EQ(run(simulate + "--seed 00fe --epoch 3").exit, 0);
    EXPECT_NE(read_file(directory_ / "out.bin"), once);
    r = run(simulate + "--epoch 3"); // the real generator
    EXPECT_EQ(r.exit, 0);
    EXPECT_EQ(r.err, "");
    EXPECT_NE(read_file(directory_ / "out.bin"), once);
}

TEST_F(Program, SimulateReadsCellsAsItIsTold) {
    directory_.file("in.csv", "Damaged,kind\nTRUE,a\nno,b\n,c\n0,\n");
    EXPECT_TRUE(run(simulate).out.starts_with("4 devices, 3 reports, "));
    EXPECT_TRUE(
        run(simulate + "--map smoke=kind --true 'smoke=a|b'").out.starts_with("4 devices, 6 "));
    EXPECT_TRUE(
        run(simulate + "--map smoke=kind --false smoke=c").out.starts_with("4 devices, 6 "));
    directory_.file("in.csv", "\"Damaged, or not\"\n1\n");
    EXPECT_TRUE(run("simulate --registry metrics.json --input in.csv --out out.bin "
                    "--map 'damage=Damaged, or not'")
                    .out.starts_with("1 device, 1 report, "));
}

TEST_F(Program, SimulateEveryTypeAtEveryLevel) {
    registry_ = directory_.file("metrics.json", read_file(SOTTO_COMPILED_REGISTRY));
    std::string csv = "phase,parts,aircraft,speed,axes\n";
    for (int i = 0; i < 600; ++i) {
        csv += i % 3 == 0 ? "climb,tail|nose|wing," : "\"cruise, level\",wing,";
        csv += i % 2 == 0 ? "B737," : "A320,";
        csv += i % 10 == 0 ? "," : std::to_string(i) + ",";
        csv += "1 1 -1\n";
    }
    directory_.file("in.csv", csv);
    const std::string command =
        "simulate --registry metrics.json --input in.csv --out out.bin --map "
        "phase=phase,parts=parts,aircraft=aircraft,speed=speed,axes=axes ";
    program_result r = run(command + "--levels 1");
    EXPECT_EQ(r.exit, 0) << r.err;
    EXPECT_TRUE(r.out.starts_with("600 devices, 5,880 reports, ")) << r.out;
    // 501 to 599 without the empty ones; every third device has three parts.
    EXPECT_NE(r.out.find("290 values adapted: 90 clamped to the range, 200 with too many members"),
              std::string::npos)
        << r.out;
    ASSERT_EQ(ingest("--strict out.bin").exit, 0);
    EXPECT_EQ(estimate("--metric speed").at(0).at("reports"), 540);
    EXPECT_EQ(estimate("--metric speed --level 1").at(0).at("level"), 1);
    EXPECT_TRUE(estimate("--metric speed --level 2").at(0).at("estimate").is_null());
    const json phase = estimate("--metric phase --level 1");
    EXPECT_EQ(phase.at(1).at("value"), "cruise, level");
    EXPECT_NEAR(phase.at(1).at("estimate"), 400, 5 * phase.at(1).at("std_error").get<double>());
    // Strings without candidates have no rows, and the page says so.
    const program_result strings =
        run("estimate --registry metrics.json --store store --format html");
    EXPECT_NE(strings.out.find("No estimate of 600 reports, epoch 0: no candidates were given"),
              std::string::npos);
    EXPECT_NE(strings.out.find("No reports of: <bdi>damage</bdi>, <bdi>hour</bdi>"),
              std::string::npos);
    EXPECT_NE(strings.err.find("sotto: aircraft: too few reports for epsilon"), std::string::npos)
        << strings.err;
    // All levels that each metric has, those above the ladder included, and no more. There are 600
    // of three of phase, two of parts, three of aircraft, 540 of four of speed, 600 of three of
    // axes.
    r = run(command + "--levels 4000000000");
    EXPECT_TRUE(r.out.starts_with("600 devices, 8,760 reports")) << r.out;
    ASSERT_EQ(ingest("--strict out.bin").exit, 0);
    const json above = estimate("--metric phase --level 2");
    EXPECT_NEAR(above.at(1).at("estimate"), 400, 5 * above.at(1).at("std_error").get<double>());
    EXPECT_EQ(estimate("--metric axes --level 2").at(0).at("reports"), 600);

    directory_.file("in.csv", "phase,parts,aircraft,speed,axes\nclimb,wing,a,1,1 1\n");
    expect_refused(
        run(command), 2,
        "in.csv: row 1 (line 2): column \"axes\": \"1 1\" has 2 numbers, the metric has");
    program_result warned =
        run("simulate --registry metrics.json --input in.csv --out out.bin --map "
            "damage=aircraft --true damage=YES");
    EXPECT_EQ(warned.exit, 0);
    EXPECT_EQ(warned.err, "sotto: --true damage=YES: no row has \"YES\"\n");
}

TEST_F(Program, SimulateStopsAndWritesNothing) {
    directory_.file("in.csv", "Damaged,kind,kind\nyes,a,b\nmaybe,a,b\n");
    const std::string base = "simulate --registry metrics.json --input in.csv --out out.bin --map ";
    expect_refused(run(simulate), 2, "in.csv: row 2 (line 3): column \"Damaged\": \"maybe\"");
    expect_refused(run(simulate + "--true smoke=a"), 2, "--true: --map has no metric \"smoke\"");
    expect_refused(run(simulate + "--true damage=a --false damage=b"), 2, "both given");
    expect_refused(run(simulate + "--true 'damage=a|'"), 2, "--true: an empty text");
    expect_refused(run(simulate + "--true damage"), 2, "\"damage\" is not METRIC=TEXT");
    expect_refused(run(simulate + "--seed xyz"), 2, "--seed");
    expect_refused(run(simulate + "--seed ''"), 2, "--seed");
    expect_refused(run(simulate + "--seed " + std::string(66, '0')), 2, "--seed");
    expect_refused(run(simulate + "--epoch 4294967295"), 2, "--epoch");
    expect_refused(run(base + "fire=Damaged"), 2,
                   "no metric \"fire\"; the registry has damage, smoke");
    expect_refused(run(base + "damage=dmg"), 2,
                   "no column \"dmg\"; the file has \"Damaged\", \"kind\"");
    expect_refused(run(base + "damage=kind"), 2, "several columns");
    expect_refused(run(base + "damage=Damaged,damage=Damaged"), 2, "mapped twice");
    EXPECT_FALSE(std::filesystem::exists(directory_ / "out.bin"));
    std::vector<std::string> left;
    for (const auto &entry : std::filesystem::directory_iterator(directory_ / "")) {
        left.push_back(entry.path().filename());
    }
    EXPECT_EQ(left.size(), 2u); // in.csv, metrics.json
    expect_refused(run(simulate + "--true damage=yes --out nowhere/out.bin"), 2, "--out");
}

} // namespace
} // namespace sotto::aggregator::test
