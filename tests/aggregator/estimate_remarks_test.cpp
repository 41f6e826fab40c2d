// SPDX-License-Identifier: Apache-2.0
// The remarks of sotto estimate beside its numbers, and how a terminal shows them.
#include "every_store.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <pty.h>
#include <set>
#include <sstream>
#include <unistd.h>

namespace sotto::aggregator::test {
namespace {

class EstimateRemarks : public every_store {};

// Reports that came with another registry are not dropped without a word.
TEST_F(EstimateRemarks, SaysWhichReportsAreOfOtherDefinitions) {
    std::string text = replaced(every_type_text(), "\"version\": 1", "\"version\": 2");
    text = replaced(text, "e7e7e7e7", "e8e8e8e8");
    text = replaced(text, "11111111", "1111111f"); // damage, defined anew
    text = replaced(text, "88888888", "8888888f");
    (void)directory_.file("second.json", replaced(text, "\"height\"", "\"altitude\""));
    const program_result a = estimate("--format json", "second.json");
    ASSERT_EQ(a.exit, 0) << a.err;
    const std::string changed =
        "sotto: damage: the store has 300 reports of another definition (every-type version 1), "
        "not counted here\n";
    EXPECT_NE(a.err.find(changed + "sotto: the store also has metrics that this registry does not: "
                                   "height (300 reports, every-type version 1)\n"),
              std::string::npos)
        << a.err;
    EXPECT_NE(
        estimate("--format html", "second.json").out.find("<li><bdi>damage: the store has 300 "),
        std::string::npos);
    // Remarks are about the selection only.
    EXPECT_EQ(estimate("--metric phase", "second.json").err, "");
    EXPECT_EQ(estimate("--epoch 4", "second.json").err.find("another definition"),
              std::string::npos);
    EXPECT_EQ(estimate("").err.find("the store "), std::string::npos);
    EXPECT_EQ(run("tally --store store --registry second.json").err,
              changed + "sotto: the store also has metrics that this registry does not: height "
                        "(300 reports, every-type version 1)\n");
}

// A remark says of which epoch it is where there are several, and none comes twice.
TEST_F(EstimateRemarks, RemarksNameTheirEpochs) {
    (void)directory_.file("few.txt", "C172\nA320\n");
    const program_result one_epoch =
        estimate("--candidates few.txt --metric aircraft --format json");
    EXPECT_NE(one_epoch.err.find("sotto: aircraft: the candidates don't explain the bits: frequent "
                                 "strings are missing"),
              std::string::npos)
        << one_epoch.err;
    const store target = store::to_write(directory_ / "store");
    std::mt19937 random(3);
    for (const char *name : {"phase", "aircraft"}) {
        const metric &m = *registry_.find(name);
        std::vector<row> rows;
        for (std::uint32_t i = 0; i < 4 * releases + 1; ++i) {
            report r = report_of(m, i + 1000, random);
            r.epoch = i < 4 * releases ? 4 + i % 4 : 8;
            rows.push_back(row_of(m, r));
        }
        row_list list = rows_of(m, rows);
        (void)append(target, m, list);
    }
    const program_result table = estimate("--candidates few.txt");
    std::istringstream in(table.out + table.err);
    std::set<std::string> seen;
    std::size_t remarks = 0;
    for (std::string line; std::getline(in, line);) {
        if (line.find("  ") == std::string::npos) {
            ++remarks;
            EXPECT_TRUE(seen.insert(line).second) << line;
        }
    }
    EXPECT_GT(remarks, 10u);
    EXPECT_NE(table.out.find("\nphase, epoch 8: too few reports for epsilon "), std::string::npos)
        << table.out;
    EXPECT_NE(table.out.find("\nphase, epochs 3, 6 to 7: relaxed by a level, to epsilon "),
              std::string::npos)
        << table.out;
    EXPECT_NE(table.out.find("\ndamage: relaxed by a level"), std::string::npos); // has one epoch
    EXPECT_NE(table.err.find("aircraft, epoch 4: the candidates don't explain the bits"),
              std::string::npos)
        << table.err;
    EXPECT_NE(estimate("--format csv").err.find("sotto: phase, epoch 8: too few reports"),
              std::string::npos);
}

// Devices clip, and no way of removing noise undoes it.
TEST_F(EstimateRemarks, SaysThatVectorsAreClipped) {
    EXPECT_EQ(
        estimate("--metric axes").err,
        "sotto: axes: a device clips numbers whose distances from 0 sum to more than 6; these "
        "are means of clipped numbers, and no report shows how far off that is\n");
    EXPECT_EQ(estimate("--metric speed").err, ""); // one number, which nothing clips
    // For programs: the kind and its numbers, on each row.
    const auto rows = nlohmann::json::parse(estimate("--metric axes --format json").out);
    ASSERT_EQ(rows.size(), 3u);
    for (const auto &row : rows) {
        const auto &last = row.at("remarks").back();
        EXPECT_EQ(last.dump(), R"({"kind":"clipped_numbers","l1_half":6,"middle":0})");
    }
    const std::string csv = estimate("--metric axes --format csv").out;
    EXPECT_TRUE(csv.ends_with("clipped_numbers,\"[{\"\"kind\"\": \"\"clipped_numbers\"\", "
                              "\"\"middle\"\": 0, \"\"l1_half\"\": 6}]\"\n"))
        << csv;
}

TEST_F(EstimateRemarks, LevelsThatAMetricDoesNotHaveAreNamed) {
    const store target = store::to_write(directory_ / "store");
    std::mt19937 random(4);
    report relaxed = report_of(*registry_.find("damage"), 1, random);
    relaxed.level = 1;
    row_list list =
        rows_of(*registry_.find("damage"), {row_of(*registry_.find("damage"), relaxed)});
    (void)append(target, *registry_.find("damage"), list);
    const program_result a = estimate("--format json --level 1");
    EXPECT_EQ(nlohmann::json::parse(a.out).size(), 1u);
    EXPECT_NE(a.err.find("sotto: phase: no release was published at level 1\n"
                         "sotto: hour: has no level 1; its highest is 0\n"),
              std::string::npos)
        << a.err;
    EXPECT_EQ(a.err.find("damage: has no"), std::string::npos);
    EXPECT_EQ(estimate("--level 0").err.find(" level 0"), std::string::npos);
}

TEST_F(EstimateRemarks, OneEpochIsNotAllOfThem) {
    const program_result epochs = estimate("--epoch 3 --all-epochs");
    EXPECT_EQ(epochs.exit, 2);
    EXPECT_EQ(epochs.err, "sotto: --all-epochs: not with --epoch\n");
}

// A blank that nobody sees makes another string.
TEST_F(EstimateRemarks, CandidatesWithBlanksAndCommasAreNoted) {
    (void)directory_.file("blanks.txt", "B737\nB737 \n\tC172\nA320\n");
    const program_result a = estimate("--metric aircraft --candidates blanks.txt");
    EXPECT_EQ(a.exit, 0);
    EXPECT_NE(a.out.find("\naircraft  \"B737 \"  "), std::string::npos) << a.out;
    EXPECT_NE(a.out.find("aircraft  B737     "), std::string::npos) << a.out;
    EXPECT_NE(
        a.err.find("sotto: blanks.txt: line 2: \"B737 \" has white space at an end, as have 1 "
                   "other line: only devices that send it so are counted\n"),
        std::string::npos)
        << a.err;
    EXPECT_EQ(a.err.find("comma"), std::string::npos);
    EXPECT_NE(
        estimate("--format html --candidates blanks.txt").out.find("<li><bdi>blanks.txt: line 2"),
        std::string::npos);
    (void)directory_.file("rows.csv", "name,count\nB737,3\nC172\n");
    const program_result csv = estimate("--metric aircraft --candidates rows.csv");
    EXPECT_NE(csv.err.find("sotto: rows.csv: 2 of 3 lines have a comma: a line is one candidate as "
                           "a whole"),
              std::string::npos)
        << csv.err;
    EXPECT_EQ(csv.err.find("white space"), std::string::npos);
    EXPECT_EQ(estimate("--metric aircraft --candidates names.txt").err.find("names.txt"),
              std::string::npos);
}

// A device makes one value of all texts that are too long: none of them is to stand for all.
TEST_F(EstimateRemarks, CandidatesThatAreTooLongAreLeftOut) {
    const std::string lengthy(65, 'x');
    (void)directory_.file("long.txt", "B737\n" + lengthy + "\n" + lengthy + "y\n");
    const program_result some = estimate("--metric aircraft --candidates long.txt");
    EXPECT_EQ(some.out.find(lengthy), std::string::npos) << some.out;
    EXPECT_NE(some.out.find("aircraft  B737"), std::string::npos) << some.out;
    const char *left_out = "sotto: aircraft: left out: 2 candidates longer than max_bytes (64)\n";
    EXPECT_NE(some.err.find(left_out), std::string::npos) << some.err;
    EXPECT_EQ(estimate("--metric phase --candidates long.txt").err, ""); // has no strings
    (void)directory_.file("long.txt", lengthy + "\n" + lengthy + "y\n");
    const program_result html = estimate("--metric aircraft --candidates long.txt --format html");
    EXPECT_NE(html.err.find(left_out), std::string::npos) << html.err;
    EXPECT_EQ(html.err.find("--candidates FILE"), std::string::npos) << html.err;
    EXPECT_NE(html.out.find("all candidates are longer than a device reports"), std::string::npos);
    const program_result joint = run("joint --registry metrics.json --metrics aircraft,phase "
                                     "--candidates aircraft=long.txt none.bin");
    EXPECT_TRUE(joint.err.starts_with(left_out)) << joint.err;
    (void)directory_.file("long.txt", lengthy.substr(1) + "\n");
    EXPECT_EQ(estimate("--metric aircraft --candidates long.txt").err.find("left out"),
              std::string::npos);
}

std::size_t widest(const std::string &text) {
    std::size_t most = 0, now = 0;
    for (const char c : text) {
        const bool starts = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        now = c == '\n' ? 0 : now + (starts && c != '\r' ? 1 : 0);
        most = std::max(most, now);
    }
    return most;
}

// On a terminal of so many columns.
std::string on_terminal(unsigned short columns, const std::string &command) {
    winsize size = {40, columns, 0, 0};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    std::string out;
    char some[4096];
    for (ssize_t n = 0; (n = read(terminal, some, sizeof some)) > 0;) {
        out.append(some, static_cast<std::size_t>(n));
    }
    close(terminal);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << out;
    return out;
}

// A terminal's lines are not broken where a word is, nor a number.
TEST_F(EstimateRemarks, TheTableFitsTheTerminal) {
    const std::string command = "cd " + (directory_ / "").string() +
                                "; " SOTTO_PROGRAM " estimate --store store --registry "
                                "metrics.json --candidates names.txt 2>err";
    const std::string wide = on_terminal(400, command), some = on_terminal(118, command),
                      few = on_terminal(76, command);
    EXPECT_GT(widest(wide), 120u);
    EXPECT_NE(wide.find("consistent "), std::string::npos);
    EXPECT_EQ(wide.find("too narrow"), std::string::npos);
    EXPECT_LE(widest(some), 118u) << some;
    EXPECT_NE(some.find("this terminal is too narrow for consistent shares\r\n"), std::string::npos)
        << some;
    EXPECT_NE(some.find(" of 300 reports "), std::string::npos);
    EXPECT_LE(widest(few), 76u) << few;
    EXPECT_NE(few.find("speed                        mean 27"), std::string::npos) << few;
    EXPECT_NE(few.find("\r\n  "), std::string::npos); // a note goes on
    // Names keep both their ends, and are whole in JSON.
    const std::string lengthy = "engine failure in the climb, ünd etwas mehr, on fire";
    (void)directory_.file("names.txt", "B737\n" + lengthy + "\n");
    const std::string names = on_terminal(76, command + " --metric aircraft");
    EXPECT_LE(widest(names), 76u) << names;
    EXPECT_NE(names.find("aircraft  B737 "), std::string::npos) << names;
    EXPECT_NE(names.find("aircraft  engine fai"), std::string::npos) << names;
    EXPECT_NE(names.find("… fire "), std::string::npos) << names;
    EXPECT_NE(names.find(" 0.0 %  ≤ "), std::string::npos) << names;
    EXPECT_NE(names.find("whole names\r\n"), std::string::npos) << names;
    EXPECT_NE(on_terminal(76, command + " --format json").find(lengthy), std::string::npos);
    // No terminal: whole lines, whatever the width.
    EXPECT_GT(widest(estimate("--candidates names.txt").out), 120u);
}

} // namespace
} // namespace sotto::aggregator::test
