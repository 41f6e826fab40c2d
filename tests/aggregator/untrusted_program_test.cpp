// SPDX-License-Identifier: Apache-2.0
// The program against reports that anybody may have sent, and against slips of whoever runs it.
#include "aggregator/estimate/stray_epochs.hpp"
#include "aggregator/tally/tally_file.hpp"
#include "run_program.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

class Untrusted : public testing::Test {
  protected:
    Untrusted() { directory_.file("metrics.json", registry_text()); }

    program_result run(const std::string &arguments) const {
        return run_program(directory_, arguments);
    }

    program_result ingest(const std::string &files) const {
        return run("ingest --registry metrics.json --store store " + files);
    }

    int reports(const std::string &more = "") const {
        const program_result r =
            run("estimate --registry metrics.json --store store --format json " + more);
        EXPECT_EQ(r.exit, 0) << r.err;
        return nlohmann::json::parse(r.out).at(0).at("reports").get<int>();
    }

    // Exit code 2, and one line on standard error that says `what`.
    static void expect_refused(const program_result &r, const std::string &what) {
        EXPECT_EQ(r.exit, 2) << r.err;
        EXPECT_NE(r.err.find(what), std::string::npos) << r.err;
        EXPECT_EQ(r.err.find('\n'), r.err.size() - 1) << r.err;
    }

    // A file with a report of each of so many devices.
    static std::string epoch_of_reports(std::uint32_t epoch, int devices) {
        wire_batch of_epoch;
        of_epoch.epoch = epoch;
        std::string bytes;
        for (int i = 0; i < devices; ++i) {
            wire_report r;
            r.release = "r" + std::to_string(1'000'000 + i);
            wire_envelope e;
            e.batch = of_epoch.bytes(r);
            bytes += delimited(e.bytes());
        }
        return bytes;
    }

    temporary_directory directory_;
};

// Late reports and conflicts are rejected, too; again is once. A file in which nothing is readable
// was no report file: nothing of it is kept.
TEST_F(Untrusted, ThePageAccountsForWhatWasNotCounted) {
    wire_report first, other, second, third;
    other.index = 0; // in conflict with `first`
    second.release = "release2";
    third.release = "release3";
    directory_.file("good.bin", file_of(first));
    directory_.file("other.bin", file_of(other));
    directory_.file("garbage.bin", "this is no report file, I'm afraid");
    directory_.file("late.bin", file_of(first, second) + file_of(third));
    directory_.file("late2.bin", file_of(second));
    const auto rejected = [&](const std::string &why, int times) {
        const program_result r =
            run("estimate --registry metrics.json --store store --format html");
        EXPECT_EQ(r.exit, 0) << r.err;
        return r.out.find("<th scope=\"row\">" + why + "</th><td>" + std::to_string(times) +
                          "</td>") != std::string::npos;
    };
    EXPECT_EQ(ingest("garbage.bin").exit, 2);
    EXPECT_FALSE(std::filesystem::exists(directory_ / "store"));
    EXPECT_EQ(ingest("good.bin").exit, 0);
    EXPECT_NE(run("estimate --registry metrics.json --store store --format html")
                  .out.find("No report was rejected"),
              std::string::npos);
    EXPECT_EQ(ingest("garbage.bin other.bin").exit, 2);
    EXPECT_FALSE(rejected("truncated or not a report file", 1));
    directory_.file("cut.bin", file_of(first) + "garbage");
    EXPECT_EQ(ingest("cut.bin").exit, 0);
    EXPECT_TRUE(rejected("conflict", 1));
    EXPECT_EQ(run("close --store store --epoch 5").exit, 0);
    for (int i = 0; i < 2; ++i) {
        const program_result r = ingest("late.bin late2.bin garbage.bin");
        EXPECT_NE(r.out.find("late2.bin: 1 too late"), std::string::npos) << r.out;
        EXPECT_NE(r.out.find("3 too late: the epoch is closed"), std::string::npos) << r.out;
        EXPECT_TRUE(rejected("too late: the epoch is closed", 3));
        EXPECT_TRUE(rejected("truncated or not a report file", 1));
    }
}

// An end is for ever, so a typing error must not make one.
TEST_F(Untrusted, AnEpochThatNothingIsHeldOfIsNotEnded) {
    directory_.file("good.bin", file_of(wire_report{})); // epoch 5
    EXPECT_EQ(ingest("good.bin").exit, 0);
    for (const std::string command : {"close", "expire"}) {
        expect_refused(run(command + " --store store --epoch 4294967295"),
                       "--epoch: 4294967295 is above 5, the newest");
        std::filesystem::create_directory(directory_ / "empty");
        expect_refused(run(command + " --store empty --epoch 5"), "no reports");
    }
    EXPECT_EQ(run("close --store store --epoch 5").exit, 0);
    EXPECT_EQ(ingest("--strict good.bin").exit, 0); // known, not late
    EXPECT_EQ(reports(), 1);
    EXPECT_EQ(run("expire --store store --epoch 5").exit, 0);
    EXPECT_EQ(reports(), 1);
}

// One device whose clock is wrong does not take the guard away.
TEST_F(Untrusted, AStrayEpochIsNoReasonToEndWhatIsToCome) {
    directory_.file("fleet.bin", epoch_of_reports(2, 150) + epoch_of_reports(3, 120));
    directory_.file("stray.bin", epoch_of_reports(5000, 1));
    EXPECT_EQ(ingest("fleet.bin stray.bin").exit, 0);
    for (const std::string command : {"close", "expire"}) {
        for (const std::string epoch : {"4", "20", "5000"}) {
            expect_refused(run(command + " --store store --epoch " + epoch),
                           "--epoch: " + epoch +
                               " is above 3, the newest that the store has reports of; not "
                               "counted: epoch 5000 with 1 report, each with one report or less "
                               "than 1 % of what epochs usually have (wrong clocks, or "
                               "forged)");
        }
    }
    directory_.file("next.bin", epoch_of_reports(4, 2));
    EXPECT_TRUE(ingest("next.bin").out.starts_with("2 reports ")) << "closed all the same";
    EXPECT_EQ(run("close --store store --epoch 4").exit, 0) << "two of 150 are no stray ones";
}

TEST_F(Untrusted, AStrayReportOfASmallFleetIsNoReasonEither) {
    directory_.file("fleet.bin", epoch_of_reports(2, 10) + epoch_of_reports(5000, 1));
    EXPECT_EQ(ingest("fleet.bin").exit, 0);
    expect_refused(run("close --store store --epoch 5000"), "--epoch: 5000 is above 2, the newest");
    directory_.file("more.bin", epoch_of_reports(3, 2));
    EXPECT_EQ(ingest("more.bin").exit, 0);
    EXPECT_EQ(run("close --store store --epoch 3").exit, 0);
}

// Nor are ten, or twenty in two epochs, in a store that has little else, or has expired the rest.
TEST_F(Untrusted, AFewStrayReportsAreNoReasonInAYoungStore) {
    directory_.file("fleet.bin", epoch_of_reports(2, 1200) + epoch_of_reports(3, 1200) +
                                     epoch_of_reports(5000, 10));
    EXPECT_EQ(ingest("fleet.bin").exit, 0);
    expect_refused(run("close --store store --epoch 5000"), "--epoch: 5000 is above 3, the newest");
    EXPECT_EQ(run("expire --store store --epoch 2").exit, 0);
    directory_.file("more.bin", epoch_of_reports(4000, 10));
    EXPECT_EQ(ingest("more.bin").exit, 0);
    expect_refused(run("close --store store --epoch 4000"), "--epoch: 4000 is above 3, the newest");
    EXPECT_EQ(run("close --store store --epoch 3").exit, 0);
}

TEST(StrayEpochs, AreHeldAgainstASizeThatOthersShare) {
    using sizes = std::vector<std::uint64_t>;
    EXPECT_EQ(shared_size({1100, 10, 10, 10}), 10u);
    EXPECT_EQ(shared_size({110'000, 1000, 1000, 1000, 110'000}), 1000u);
    EXPECT_EQ(shared_size({20'000, 10, 20'000, 300}), 20'000u);
    EXPECT_EQ(shared_size({20'000, 20'000, 10}), std::nullopt);
    EXPECT_EQ(shared_size({9, 9, 9, 9}), std::nullopt);
    EXPECT_EQ(usual_reports(sizes{110'000, 1000}), 1000u);
    EXPECT_EQ(usual_reports(sizes{9, 8}), 0u);
}

// Forged reports of one epoch, a hundred times as many as an honest one has, hide none of those
// and keep none of them open.
TEST_F(Untrusted, AFloodedEpochMakesNoOthersStray) {
    std::string bytes = epoch_of_reports(5, 1100);
    for (std::uint32_t epoch = 400; epoch < 403; ++epoch) {
        bytes += epoch_of_reports(epoch, 10);
    }
    directory_.file("fleet.bin", bytes);
    EXPECT_EQ(ingest("fleet.bin").exit, 0);
    const program_result r =
        run("estimate --registry metrics.json --store store --format csv --metric damage");
    EXPECT_EQ(r.err.find("left out"), std::string::npos) << r.err;
    EXPECT_NE(r.out.find("\ndamage,402,"), std::string::npos) << r.out;
    // Thirty reports in three epochs might be forged beside a fleet of 1,100: the operator knows.
    expect_refused(run("close --store store --epoch 401"), "--epoch-reports");
    const std::string usual = " --epoch-reports 10";
    EXPECT_EQ(run("close --store store --epoch 401" + usual).exit, 0);
    EXPECT_EQ(run("expire --store store --epoch 5").exit, 0);
    EXPECT_EQ(run("close --store store --epoch 402").exit, 0)
        << "without the flood nothing is in doubt";
    expect_refused(run("close --store store --epoch 403" + usual), "--epoch: 403 is above 402");
}

// Whatever comes first.
TEST_F(Untrusted, ForgedEpochsThatBearEachOtherOutLeadNoYoungStore) {
    const std::string fleet = epoch_of_reports(3, 2000);
    std::string forged;
    for (std::uint32_t epoch = 5000; epoch < 5003; ++epoch) {
        forged += epoch_of_reports(epoch, 15);
    }
    directory_.file("forged_first.bin", forged + fleet);
    directory_.file("fleet.bin", fleet);
    directory_.file("forged.bin", forged);
    for (const std::string order : {"fleet.bin forged.bin", "forged_first.bin"}) {
        std::filesystem::remove_all(directory_ / "store");
        EXPECT_EQ(ingest(order).exit, 0);
        for (const std::string command : {"close", "expire"}) {
            expect_refused(run(command + " --store store --epoch 5000"),
                           "5000 is above 3, the newest");
        }
        EXPECT_EQ(run("close --store store --epoch 3").exit, 0);
        expect_refused(run("close --store store --epoch 5002"), "5002 is above 3, the newest");
    }
}

TEST(StrayEpochs, SmallOnesCountOnceTheyHaveAsMuchAsTheLargest) {
    const auto size = [](std::size_t real_epochs, std::size_t forged_epochs, std::uint64_t forged) {
        std::vector<std::uint64_t> sizes(forged_epochs, forged);
        sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(forged_epochs / 2), real_epochs,
                     10'000);
        return size_to_end_by(sizes, 10'000);
    };
    for (const std::size_t real_epochs : {1U, 2U}) {
        EXPECT_EQ(size(real_epochs, 3, 15), 10'000u);
        EXPECT_EQ(size(real_epochs, 3, 99), 10'000u);
        EXPECT_EQ(size(real_epochs, 666, 15), 10'000u);
        EXPECT_EQ(size(real_epochs, 667, 15), 15u) << "more than the fleet sent: nobody can tell";
    }
    EXPECT_EQ(size(3, 3, 15), 10'000u);
    EXPECT_EQ(size(3, 5000, 15), 10'000u) << "three of the fleet bear each other out";
    EXPECT_FALSE(is_stray(100, size(1, 1, 100))) << "1 % of the largest leads";
    EXPECT_EQ(size_to_end_by({9, 9, 9}, 9), 9u);
    EXPECT_EQ(size_to_end_by({20, 20, 20}, 0), 20u) << "all are expired";
}

// The ends that are told are those of the store.
TEST_F(Untrusted, TheEndsOfAStoreAreShown) {
    directory_.file("fleet.bin", epoch_of_reports(2, 5) + epoch_of_reports(3, 4));
    EXPECT_EQ(ingest("fleet.bin").exit, 0);
    EXPECT_EQ(run("verify --store store").out.find("closed"), std::string::npos);
    EXPECT_EQ(run("close --store store --epoch 3").out, "closed: epochs up to 3\n");
    EXPECT_EQ(run("close --store store --epoch 2").out, "closed: epochs up to 3, as before\n");
    EXPECT_EQ(run("expire --store store --epoch 2").out,
              "closed: epochs up to 3, expired: epochs up to 2: 5 reports removed, tallies kept\n");
    const program_result r = run("verify --store store");
    EXPECT_NE(r.out.find("\nclosed: epochs up to 3, expired: epochs up to 2\n"), std::string::npos)
        << r.out;
}

// Its reports are gone, and were counted: the page does not take them for late ones. New ones are
// late.
TEST_F(Untrusted, AFileOfAnExpiredEpochThatComesAgainChangesNothing) {
    wire_report bad;
    bad.level = 9;
    const std::string counted_before = epoch_of_reports(2, 5) + file_of(bad);
    directory_.file("counted.bin", counted_before);
    directory_.file("late.bin", epoch_of_reports(2, 3));
    const auto page = [&] {
        return run("estimate --registry metrics.json --store store --format html").out;
    };
    EXPECT_EQ(ingest("counted.bin").exit, 0);
    EXPECT_EQ(run("expire --store store --epoch 2").exit, 0);
    const std::string before = page();
    EXPECT_NE(before.find("<th scope=\"row\">level outside the ladder</th><td>1</td>"),
              std::string::npos);
    EXPECT_NE(ingest("counted.bin").out.find("5 too late"), std::string::npos);
    EXPECT_TRUE(page() == before);
    for (int i = 0; i < 2; ++i) {
        EXPECT_NE(ingest("late.bin").out.find("3 too late"), std::string::npos);
        EXPECT_NE(page().find("<th scope=\"row\">too late: the epoch is closed</th><td>3</td>"),
                  std::string::npos);
    }
}

// It may be what the store's reports say, as far as can be told, until they are counted.
TEST_F(Untrusted, AForgedTallyIsFoundAndMadeAgain) {
    const registry known = parse_registry(registry_text(), "M.json");
    const metric &damage = *known.find("damage");
    const std::string merge = "merge --registry metrics.json --store store ";
    const std::string tally = "tally --registry metrics.json --store store ";
    directory_.file("good.bin", file_of(wire_report{}));
    EXPECT_EQ(ingest("good.bin").exit, 0);
    EXPECT_EQ(run(tally + "--part 0/1 --out part.tly").exit, 0);
    std::vector<partial_tally> parts = read_tallies("part.tly", read_file(directory_ / "part.tly"));
    ASSERT_EQ(parts.size(), 1u);
    const auto forge = [&](const auto &edit) {
        epoch_tally t = empty_epoch_tally(damage);
        edit(t);
        parts[0].counts = tally_bytes(t);
        write_tallies(directory_ / "forged.tly", parts);
    };
    forge([](epoch_tally &t) {
        t.highest[0].reports = t.highest[0].ones[1] = 1;
        t.selected[{7, 100'000'000, 9, 2'000'000'000}] = 5;
    });
    expect_refused(run(merge + "forged.tly"), "not a tally that reports of this metric can have");
    forge([](epoch_tally &t) { t.highest[0].reports = t.highest[0].ones[1] = 2; });
    expect_refused(run(merge + "forged.tly"), "can't be of the 1 report that the store holds");
    forge([](epoch_tally &t) { t.highest[0].reports = t.highest[0].ones[0] = 1; }); // it said yes
    EXPECT_EQ(run(merge + "forged.tly").exit, 0);
    expect_refused(run(merge + "part.tly"), "sotto tally --epoch 5 counts them again");
    const program_result found = run("verify --store store");
    EXPECT_EQ(found.exit, 3);
    EXPECT_NE(found.err.find("sotto tally --epoch 5 counts it again"), std::string::npos);
    EXPECT_EQ(run(tally + "--epoch 5").exit, 0);
    EXPECT_EQ(run("verify --store store").exit, 0);
    EXPECT_EQ(run(merge + "part.tly").exit, 0);
    expect_refused(run(merge + "forged.tly"), "contradicts the one that the store has");
    EXPECT_EQ(reports(), 1);
}

// Labels belong to what is counted: others under the same fingerprint are refused.
TEST_F(Untrusted, AnEditedRegistryIsRefused) {
    directory_.file("good.bin", file_of(wire_report{}));
    EXPECT_EQ(ingest("good.bin").exit, 0);
    directory_.file("edited.json", replaced(registry_text(), "\"smoke\"", "\"flame\""));
    for (const std::string command : {"estimate", "tally"}) {
        expect_refused(run(command + " --registry edited.json --store store"),
                       "store: the store has another registry with fingerprint 8a1b2c3d");
    }
}

// Nobody can have asked for it.
TEST_F(Untrusted, AForgedMarkOfSelectionIsRefused) {
    wire_report low, high;
    low.metric = high.metric = 7;
    high.level = 1;
    high.flags = 1;
    directory_.file("in.bin", file_of(low, high));
    const program_result r = ingest("in.bin");
    EXPECT_NE(r.out.find("1 marked as selected by a request, which no request can"),
              std::string::npos)
        << r.out;
    EXPECT_EQ(reports("--metric smoke"), 1);
}

} // namespace
} // namespace sotto::aggregator::test
