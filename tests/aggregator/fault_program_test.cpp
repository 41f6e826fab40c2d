// SPDX-License-Identifier: Apache-2.0
// Faults that simulate puts into a fleet's reports, and that ingest finds exactly.
#include "aggregator/simulate/exact_share.hpp"
#include "run_program.hpp"
#include "support.hpp"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

namespace sotto::aggregator::test {
namespace {

TEST(ExactShare, IsExactAtAnyLength) {
    for (const std::uint32_t share : {0u, 1u, 30'000u, 333'333u, 500'000u, 750'000u, 999'999u}) {
        exact_share picks(share, 7);
        double picked = 0;
        for (int n = 1; n <= 20'000; ++n) {
            picked += picks.next() ? 1 : 0;
            ASSERT_LT(std::abs(picked - n * (share * 1e-6)), 1) << share << " of " << n;
        }
    }
}

TEST(ExactShare, FallsAnywhere) {
    std::set<int> places;
    exact_share tenth(100'000, 7), other(100'000, 8);
    int equal = 0;
    for (int i = 0; i < 10'000; ++i) {
        const bool picked = tenth.next();
        equal += picked && other.next() ? 1 : 0;
        if (picked) {
            places.insert(i % 10);
        }
    }
    EXPECT_EQ(places.size(), 10u) << "what comes every tenth time is always picked, or never";
    EXPECT_LT(equal, 500) << "the seed does not matter";
}

class Faults : public testing::Test {
  protected:
    Faults() {
        directory_.file("metrics.json", read_file(SOTTO_COMPILED_REGISTRY));
        directory_.file("rows.csv",
                        "damage,phase,hour,parts,aircraft,speed,axes,height,lights,smoke,species\n"
                        "yes,climb,3,tail|engine,B-737,480,1 2 3,10000,no,yes,owl\n"
                        "no,approach,23,,C-130,,-1 0 1,0,yes,no,owl\n");
    }

    std::string run(const std::string &arguments, const std::string &before = ":") {
        const program_result r = run_program(directory_, arguments, before);
        exit_ = r.exit;
        err_ = r.err;
        return r.out;
    }

    std::string simulate(const std::string &more, const std::string &before = ":") {
        return run("simulate --registry metrics.json --input rows.csv --out reports.bin "
                   "--map damage=damage,phase=phase,hour=hour,parts=parts,aircraft=aircraft,"
                   "speed=speed,axes=axes,height=height,lights=lights,smoke=smoke,"
                   "species=species " +
                       more,
                   before);
    }

    std::string ingest(const std::string &key = "") {
        std::filesystem::remove_all(directory_ / "store");
        return run("ingest --registry metrics.json --store store reports.bin " + key);
    }

    // How many by reason, of "3 malformed, 2 sealed, and can't be opened (0a0b0c0d)" behind
    // `begin`.
    static std::map<std::string, std::string> counts(const std::string &text,
                                                     const std::string &begin) {
        const std::size_t at = text.find(begin);
        EXPECT_NE(at, std::string::npos) << "no " << begin << " in: " << text;
        const std::string line = text.substr(at, text.find('\n', at) - at).substr(begin.size());
        const std::regex count_and_words("([0-9][0-9,]*) ([a-z' ]*[a-z](, and [a-z' ]*[a-z])?)");
        std::map<std::string, std::string> found;
        for (std::sregex_iterator i(line.begin(), line.end(), count_and_words), end; i != end;
             ++i) {
            found[(*i)[2]] = (*i)[1];
        }
        return found;
    }

    temporary_directory directory_;
    std::string err_;
    int exit_ = -1;
};

// Every mechanism's reports, spoilt in every way.
TEST_F(Faults, IngestCountsWhatWasDone) {
    ASSERT_EQ((run("keygen --out keys"), exit_), 0) << err_;
    for (const std::string key : {"", "keys"}) {
        const std::string said =
            simulate("--repeat 400 --relaxed 0.25 --malformed 0.4 --duplicated 0.5 --epoch 9" +
                     std::string(key.empty() ? "" : " --key keys/*.pub"));
        ASSERT_EQ(exit_, 0) << err_;
        // Each of 20 cells makes a release with a second level.
        EXPECT_TRUE(said.starts_with("800 devices, 10,000 reports, ")) << said;
        EXPECT_NE(said.find("4,000 reports malformed: "), std::string::npos) << said;
        EXPECT_NE(said.find("3,000 reports duplicated"), std::string::npos) << said;
        std::map<std::string, std::string> wanted = counts(said, "malformed: ");
        EXPECT_EQ(wanted.size(), key.empty() ? 9u : 11u) << said;
        const std::string found = ingest(key.empty() ? "" : "--key keys");
        EXPECT_EQ(exit_, 0) << err_;
        EXPECT_TRUE(found.starts_with("6,000 reports from ")) << found;
        EXPECT_NE(found.find("\n3,000 duplicates, "), std::string::npos) << found;
        EXPECT_EQ(counts(found, "rejected 4,000: "), wanted);
    }
}

TEST_F(Faults, SharesAreOfAllAndTheRestIsUntouched) {
    EXPECT_TRUE(simulate("").starts_with("2 devices, 20 reports, ")) << err_;
    EXPECT_TRUE(ingest().find("rejected") == std::string::npos);
    EXPECT_TRUE(simulate("--repeat 10").starts_with("20 devices, 200 reports, "));
    EXPECT_TRUE(ingest().starts_with("200 reports from 20 envelopes"));
    EXPECT_TRUE(simulate("--repeat 10 --relaxed 0.5").starts_with("20 devices, 300 reports, "));
    EXPECT_TRUE(ingest().starts_with("300 reports")) << "a release is published twice at a level";
}

TEST_F(Faults, DependOnTheSeedAloneAndNotOnTheCores) {
    const std::string much =
        "--repeat 2100 --relaxed 0.1 --malformed 0.03 --duplicated 0.02 --seed ";
    (void)simulate(much + "0a");
    const std::string once = read_file(directory_ / "reports.bin");
    (void)simulate(much + "0a", "taskset -cp $(taskset -cp $$ | grep -o '[0-9]*$') $$ >/dev/null");
    EXPECT_EQ(exit_, 0) << err_;
    EXPECT_TRUE(read_file(directory_ / "reports.bin") == once);
    (void)simulate(much + "0b");
    EXPECT_FALSE(read_file(directory_ / "reports.bin") == once);
}

TEST_F(Faults, RefusesWhatCantBe) {
    const std::pair<const char *, const char *> cases[] = {
        {"--malformed 1", "--malformed: \"1\" is not a share from 0 to below 1"},
        {"--duplicated -0.1", "--duplicated: \"-0.1\" is not"},
        {"--duplicated nan", "--duplicated: \"nan\" is not"},
        {"--relaxed 0.1234567", "six decimals"},
        {"--relaxed 3%", "--relaxed: \"3%\" is not"},
        {"--relaxed 0.1 --levels 1", "only one of them"},
        {"--repeat 0", "--repeat: 0 is not within 1 to 1,000,000,000"},
        {"--request rows.csv", "the one needs the other"},
    };
    (void)simulate("");
    const std::string before = read_file(directory_ / "reports.bin");
    for (const auto &[more, words] : cases) {
        (void)simulate(more);
        EXPECT_EQ(exit_, 2) << more;
        EXPECT_NE(err_.find(words), std::string::npos) << err_;
        EXPECT_TRUE(read_file(directory_ / "reports.bin") == before) << more;
    }
}

TEST_F(Faults, ARequestThatDevicesDontObeyStopsTheRun) {
    ASSERT_EQ((run("keygen --requests --out keys"), exit_), 0) << err_;
    directory_.file("request", "no request");
    (void)simulate("--request request --request-key keys/*.pub");
    EXPECT_EQ(exit_, 2);
    EXPECT_NE(err_.find("--request: "), std::string::npos) << err_;
    (void)simulate("--request request --request-key keys/*.key");
    EXPECT_EQ(exit_, 2);
    EXPECT_NE(err_.find("a private key; the public one"), std::string::npos) << err_;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "reports.bin"));
}

} // namespace
} // namespace sotto::aggregator::test
