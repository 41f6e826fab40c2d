// SPDX-License-Identifier: Apache-2.0
// The command around tightening, its key, and what forged reports show.
#include "aggregator/base/failure.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/tighten/tightening.hpp"
#include "run_program.hpp"
#include "support.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

// smoke (7): level 1 flips with 1/4, level 0 that again with 1/4.
class TightenProgram : public testing::Test {
  protected:
    TightenProgram() {
        // A request may ask for smoke, and select.
        directory_.file("M.json",
                        replaced(registry_text(), R"("request_level": 0, "costs": ["535640")",
                                 R"("request_level": 1, "costs": ["535640")"));
    }

    static wire_report smoke(const std::string &release, std::uint64_t level, std::uint32_t index,
                             std::uint64_t flags = 0) {
        wire_report r;
        r.release = release;
        r.metric = 7;
        r.level = level;
        r.index = index;
        r.flags = flags;
        return r;
    }
    static std::string number_text(std::uint32_t i) {
        const std::string digits = std::to_string(i);
        return std::string(8 - digits.size(), '0') + digits;
    }
    int run(const std::string &arguments) {
        const program_result r = run_program(directory_, arguments);
        out_ = r.out;
        err_ = r.err;
        return r.exit;
    }
    int tighten(const std::string &more) {
        return run("tighten --registry M.json --metric smoke --level 0 --out made " + more);
    }
    const value_layouts layouts_{parse_registry(registry_text(), "M.json")};
    using releases = std::map<std::string, std::pair<std::uint32_t, std::uint32_t>>;

    // The reports in `made`: level and value, by the id there.
    releases made() const {
        releases found;
        envelope_file file(directory_ / "made");
        while (const auto bytes = file.next()) {
            const envelope e = std::get<envelope>(decode_envelope(*bytes));
            EXPECT_EQ(e.registry, fleet);
            for (const report &r : reports_of(e.batch, layouts_)) {
                EXPECT_EQ(r.metric, 7u);
                EXPECT_EQ(r.epoch, 5u);
                EXPECT_EQ(r.flags, 0u);
                const auto value = std::get<std::uint32_t>(r.value);
                const std::string id(r.release.begin(), r.release.end());
                EXPECT_TRUE(found.try_emplace(id, r.level, value).second) << "twice";
            }
        }
        return found;
    }
    // Equal ids of these releases tell it too, as the key's holder finds them.
    releases made_of(const noise_key &key, const std::vector<std::string> &names) const {
        const registry with = load_registry(directory_ / "M.json").content;
        const tables device(with);
        const metric &m = *with.find("smoke");
        const tightening way(m, device.get().metrics[&m - with.metrics.data()], 0, key);
        const releases given = made();
        releases named;
        for (const std::string &name : names) {
            report r;
            r.epoch = 5;
            std::copy(name.begin(), name.end(), r.release.begin());
            const release_id id = way.other_id(r);
            if (const auto at = given.find({id.begin(), id.end()}); at != given.end()) {
                named.emplace(name, at->second);
            }
        }
        return named;
    }
    noise_key kept_key() const {
        return read_or_draw_noise_key(directory_ / "M.json.tighten-key").key;
    }

    temporary_directory directory_;
    std::string out_, err_;
};

// 4,000 releases that were only seen at level 1, 1,500 of them true. At level 0 they are estimated
// at the same, with the error that level 0 has beyond level 1.
TEST_F(TightenProgram, EstimatesOfWhatWasTightened) {
    std::string file;
    for (std::uint32_t i = 0; i < 4000; ++i) {
        file += file_of(smoke(number_text(i), 1, i % 8 < 3 ? 1 : 0));
    }
    directory_.file("in", file);
    ASSERT_EQ(tighten("in"), 0) << err_;
    EXPECT_NE(out_.find("4,000 releases of smoke tightened to level 0, 0 passed on"),
              std::string::npos)
        << out_;
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < 4000; ++i) {
        names.push_back(number_text(i));
    }
    const releases found = made_of(kept_key(), names);
    EXPECT_EQ(found.size(), 4000u);
    EXPECT_EQ(made().size(), 4000u);
    ASSERT_EQ(run("ingest --registry M.json --store store made"), 0) << err_;
    ASSERT_EQ(run("estimate --registry M.json --store store --metric smoke --format json"), 0);
    const auto row = nlohmann::json::parse(out_).at(0);
    EXPECT_EQ(row.at("reports"), 4000);
    // 1,500 of 4,000 at flips of 1/4: (1500 - 1000) / (1/2) = 1,000. Each report's second flip adds
    // a variance of 3/16, and the estimate is the count over 1/4: 6.2 standard deviations.
    EXPECT_NEAR(row.at("estimate").get<double>(), 1000, 6.2 * std::sqrt(4000 * 3 / 16.0) * 4);
    const double error = std::sqrt(4000 * 15 / 64.0) * 4; // 3/8 5/8, over (1 - 2 * 3/8)
    EXPECT_NEAR(row.at("std_error").get<double>(), error, 1e-6 * error);
    // Not the reports themselves: a quarter is flipped.
    std::uint32_t flipped = 0;
    for (const auto &[id, level_and_value] : found) {
        EXPECT_EQ(level_and_value.first, 0u);
        flipped += level_and_value.second != (std::stoul(id) % 8 < 3 ? 1u : 0u) ? 1 : 0;
    }
    EXPECT_NEAR(flipped, 1000, 6.2 * std::sqrt(4000 * 3 / 16.0));
}

TEST_F(TightenProgram, GoesOnWithOneReportOfEachRelease) {
    wire_report other;
    other.release = "another1";
    const std::string first = file_of(smoke("both0001", 1, 1), smoke("low00001", 0, 1), other);
    const std::string later =
        file_of(smoke("both0001", 0, 0), smoke("high0001", 1, 1), smoke("chosen01", 1, 1, 1),
                smoke("chosen02", 1, 1, 1)) +
        file_of(smoke("high0001", 1, 1), smoke("chosen01", 0, 1), smoke("low00001", 0, 0));
    directory_.file("first", first);
    directory_.file("later", later + "torn");
    ASSERT_EQ(tighten("--seed 01 first later"), 0) << err_;
    EXPECT_NE(out_.find("1 release of smoke tightened to level 0, 3 passed on"), std::string::npos)
        << out_;
    EXPECT_NE(out_.find("1 release left out"), std::string::npos) << out_;
    EXPECT_NE(err_.find("NOT private"), std::string::npos);
    EXPECT_NE(err_.find("rejected 1"), std::string::npos) << err_;
    ASSERT_EQ(made().size(), 4u); // neither another1 nor chosen02
    const releases found =
        made_of(noise_key_of({1}), {"both0001", "low00001", "chosen01", "high0001"});
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found.at("both0001"), (std::pair{0u, 0u})) << "what the device itself published";
    EXPECT_EQ(found.at("low00001"), (std::pair{0u, 0u})) << "two that differ: always this one";
    EXPECT_EQ(found.at("chosen01"), (std::pair{0u, 1u})) << "as it was before it was chosen";
    EXPECT_EQ(found.at("high0001").first, 0u);
    const std::string bytes = read_file(directory_ / "made");
    ASSERT_EQ(tighten("--seed 01 later first"), 0) << err_;
    EXPECT_EQ(read_file(directory_ / "made"), bytes) << "in no order but that of the releases";
}

TEST_F(TightenProgram, TheSameAgainGivesTheSameBytes) {
    std::string file;
    for (std::uint32_t i = 0; i < 200; ++i) {
        file += file_of(smoke(number_text(i), 1, 1));
    }
    directory_.file("in", file);
    directory_.file("half", file.substr(0, file.size() / 2));
    ASSERT_EQ(tighten("in"), 0) << err_;
    const std::string once = read_file(directory_ / "made"), key_file = "M.json.tighten-key";
    const auto key = read_file(directory_ / key_file);
    EXPECT_EQ(std::filesystem::status(directory_ / key_file).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    for (int i = 0; i < 60; ++i) {
        ASSERT_EQ(tighten(i % 2 == 0 ? "in" : "half in"), 0) << err_;
        EXPECT_EQ(read_file(directory_ / "made"), once);
    }
    EXPECT_EQ(read_file(directory_ / key_file), key);
    const auto before = made();
    ASSERT_EQ(tighten("--noise-key mine in"), 0) << err_;
    EXPECT_NE(made(), before); // equal with probability (5/8)^200
    EXPECT_EQ(read_file(directory_ / key_file), key);
}

TEST_F(TightenProgram, ANoiseKeyThatIsNoneIsRefusedAndKept) {
    directory_.file("in", file_of(smoke("release1", 1, 1)));
    for (const std::string text : {"", "sotto tighten key v1\nnoise 00\n", "anything"}) {
        directory_.file("M.json.tighten-key", text);
        EXPECT_EQ(tighten("in"), 2);
        EXPECT_NE(err_.find("M.json.tighten-key: no noise key as sotto tighten makes it\n"),
                  std::string::npos)
            << err_;
        EXPECT_EQ(read_file(directory_ / "M.json.tighten-key"), text);
        EXPECT_FALSE(std::filesystem::exists(directory_ / "made"));
    }
    std::filesystem::remove(directory_ / "M.json.tighten-key");
    std::filesystem::create_directory(directory_ / "M.json.tighten-key");
    EXPECT_NE(tighten("in"), 0) << "what can't be read is not replaced";
    EXPECT_FALSE(std::filesystem::exists(directory_ / "made"));
}

// Who knows a release's id has a report of his own counted for it, and sees what changes. So no id
// leads from the new file back. The forger here tries every id of it, with either value.
TEST_F(TightenProgram, NobodyCanForgeAReportOfWhatIsInTheNewFile) {
    std::string file;
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < 400; ++i) {
        names.push_back(number_text(i));
        file += file_of(smoke(names.back(), i % 4 == 0 ? 0 : 1, i % 2));
    }
    directory_.file("in", file);
    ASSERT_EQ(tighten("in"), 0) << err_;
    const releases before = made();
    std::string forged;
    for (const auto &[id, level_and_value] : before) {
        EXPECT_EQ(std::count(names.begin(), names.end(), id), 0) << "its own id";
        for (const std::uint32_t level : {0U, 1U}) {
            forged += file_of(smoke(id, level, 0)) + file_of(smoke(id, level, 1));
        }
    }
    directory_.file("forged", forged);
    ASSERT_EQ(tighten("in forged"), 0) << err_;
    const releases after = made();
    EXPECT_EQ(after.size(), 800u);
    for (const auto &[id, level_and_value] : before) {
        ASSERT_EQ(after.count(id), 1u);
        EXPECT_EQ(after.at(id), level_and_value);
    }
}

// The order of the releases' own ids would say nearly as much as those.
TEST_F(TightenProgram, TheOrderIsThatOfTheNewIds) {
    std::string file;
    for (std::uint32_t i = 0; i < 400; ++i) {
        file += file_of(smoke(number_text(i), 1, 1));
    }
    directory_.file("in", file);
    ASSERT_EQ(tighten("in"), 0) << err_;
    std::string last;
    envelope_file written(directory_ / "made");
    while (const auto bytes = written.next()) {
        const envelope e = std::get<envelope>(decode_envelope(*bytes));
        for (const report &r : reports_of(e.batch, layouts_)) {
            const std::string id(r.release.begin(), r.release.end());
            EXPECT_LT(last, id);
            last = id;
        }
    }
}

TEST_F(TightenProgram, ALinkToTheRegistryHasTheRegistrysKey) {
    directory_.file("in", file_of(smoke("release1", 1, 1)));
    std::filesystem::create_directory(directory_ / "elsewhere");
    std::filesystem::create_symlink("../M.json", directory_ / "elsewhere/N.json");
    ASSERT_EQ(run("tighten --registry elsewhere/N.json --metric smoke --level 0 --out made in"), 0);
    EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
    EXPECT_NE(err_.find("/M.json.tighten-key: new noise key; keep it with the registry"),
              std::string::npos)
        << err_;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "elsewhere/N.json.tighten-key"));
    const std::string once = read_file(directory_ / "made");
    ASSERT_EQ(tighten("in"), 0) << err_;
    EXPECT_EQ(err_, "");
    EXPECT_EQ(read_file(directory_ / "made"), once);
}

TEST_F(TightenProgram, AKeyThatOthersMayUseIsRefused) {
    directory_.file("in", file_of(smoke("release1", 1, 1)));
    ASSERT_EQ(tighten("in"), 0) << err_;
    const std::filesystem::path key = directory_ / "M.json.tighten-key";
    for (const unsigned mode : {0644U, 0666U, 0640U, 0620U, 0602U}) {
        std::filesystem::permissions(key, static_cast<std::filesystem::perms>(mode));
        EXPECT_EQ(tighten("in"), 2);
        EXPECT_NE(err_.find("others than its owner may use this noise key (mode 0"),
                  std::string::npos)
            << err_;
        EXPECT_NE(err_.find("allowed are 0600 and 0400"), std::string::npos) << err_;
        EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
    }
    for (const unsigned mode : {0600U, 0400U}) {
        std::filesystem::permissions(key, static_cast<std::filesystem::perms>(mode));
        EXPECT_EQ(tighten("in"), 0) << err_;
    }
}

TEST_F(TightenProgram, TheNewFileTakesNoKeysPlace) {
    directory_.file("in", file_of(smoke("release1", 1, 1)));
    const std::string before = "tighten --registry M.json --metric smoke --level 0 in --out ";
    for (const char *out :
         {"M.json.tighten-key", "./M.json.tighten-key", "mine --noise-key ./mine"}) {
        EXPECT_EQ(run(before + out), 2) << out;
        EXPECT_NE(err_.find("is where the noise key belongs; it must be another file"),
                  std::string::npos)
            << err_;
        EXPECT_FALSE(std::filesystem::exists(directory_ / "M.json.tighten-key"));
        EXPECT_FALSE(std::filesystem::exists(directory_ / "mine"));
    }
}

TEST_F(TightenProgram, WhatAKilledRunLeftIsInNobodysWay) {
    directory_.file("in", file_of(smoke("release1", 1, 1)));
    const program_result r =
        run_program(directory_, "tighten --registry M.json --metric smoke --level 0 --out made in",
                    "touch .sotto-tmp-$$-key .sotto-tmp-$$-key0 .sotto-tmp-$$-key1");
    EXPECT_EQ(r.exit, 0) << r.err;
    (void)kept_key(); // throws where there is none
}

TEST_F(TightenProgram, SaysWhereNoKeyCanBeMade) {
    directory_.file("in", file_of(smoke("release1", 1, 1)));
    EXPECT_EQ(tighten("--noise-key nowhere/key in"), 3);
    EXPECT_EQ(err_, "sotto: nowhere/key: the noise key can't be made there: No such file or "
                    "directory; --noise-key FILE names another place\n");
    EXPECT_FALSE(std::filesystem::exists(directory_ / "made"));
}

// Only one of two first runs at once makes the key: the noise of the other would be another.
TEST_F(TightenProgram, AKeyThatCameMeanwhileIsNotReplaced) {
    const std::string path = directory_ / "key";
    const noise_key first = read_or_draw_noise_key(path).key;
    const noise_key second = read_or_draw_noise_key(path).key;
    keep_noise_key(path, first);
    EXPECT_THROW(keep_noise_key(path, second), environment_error);
    EXPECT_EQ(read_or_draw_noise_key(path).key, first);
}

TEST_F(TightenProgram, OpensWhatIsSealed) {
    directory_.file("C.json", read_file(SOTTO_COMPILED_REGISTRY));
    directory_.file("rows.csv", "d\n1\n0\n1\n");
    ASSERT_EQ(run("keygen --out keys"), 0) << err_;
    ASSERT_EQ(run("simulate --registry C.json --input rows.csv --map damage=d --levels 2 --out "
                  "in --key keys/*.pub"),
              0)
        << err_;
    const std::string before = "tighten --registry C.json --metric damage --level 1 --out made in";
    EXPECT_EQ(run(before), 2);
    EXPECT_NE(err_.find("no report of damage in 1 file: rejected"), std::string::npos) << err_;
    ASSERT_EQ(run(before + " --key keys"), 0) << err_;
    EXPECT_NE(out_.find("0 releases of damage tightened to level 1, 3 passed on"),
              std::string::npos)
        << out_;
}

TEST_F(TightenProgram, RefusesWithOneLineAndWritesNothing) {
    directory_.file("in", file_of(smoke("release1", 1, 1)));
    directory_.file("damage", file_of(wire_report{}));
    const std::string before = "tighten --registry M.json --out made ";
    const struct {
        const char *arguments, *words;
    } cases[] = {
        {"--metric smoke --level 1 in", "--level: 1 is not 0 to 0"},
        {"--metric roof --level 0 in", "no metric \"roof\""},
        {"--metric damage --level 0 in", "one level"},
        {"--metric smoke --level 0 damage", "no report of smoke in 1 file"},
        {"--metric smoke --level 0 nowhere", "nowhere"},
        {"--metric smoke --level 0 --seed xy in", "--seed"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(run(before + c.arguments), 2) << c.arguments;
        EXPECT_NE(err_.find(c.words), std::string::npos) << err_;
        EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
        EXPECT_FALSE(std::filesystem::exists(directory_ / "made"));
        EXPECT_FALSE(std::filesystem::exists(directory_ / "M.json.tighten-key"));
    }
}

} // namespace
} // namespace sotto::aggregator::test
