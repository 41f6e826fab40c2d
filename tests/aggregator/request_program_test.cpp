// SPDX-License-Identifier: Apache-2.0
// Requests through the program: keygen --requests, request-relax. tests/unit/request_test.cpp has
// the device's side.
#include "run_program.hpp"
#include "support.hpp"

#include "aggregator/request/key.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace sotto::aggregator::test {
namespace {

class RequestProgram : public testing::Test {
  protected:
    RequestProgram() {
        // The compiler's own metrics.json, in which two metrics can be asked for.
        std::string text = read_file(SOTTO_COMPILED_REGISTRY);
        for (const char *name : {"damage", "phase", "speed", "lights", "smoke"}) {
            const std::size_t metric = text.find(std::string("\"name\": \"") + name + "\"");
            const std::size_t level = text.find("\"request_level\": 0", metric);
            EXPECT_NE(level, std::string::npos) << name;
            text.replace(level, 18, "\"request_level\": 1");
        }
        directory_.file("metrics.json", text);
    }
    int run(const std::string &arguments, const std::string &before = ":") {
        const program_result r = run_program(directory_, arguments, before);
        out_ = r.out;
        err_ = r.err;
        return r.exit;
    }
    // The stem of the one pair in a folder.
    std::string keygen(const std::string &folder) {
        EXPECT_EQ(run("keygen --requests --out " + folder), 0) << err_;
        for (const auto &entry : std::filesystem::directory_iterator(directory_ / folder)) {
            return folder + "/" + entry.path().stem().string();
        }
        return "none";
    }
    int relax(const std::string &more, const std::string &key) {
        return run("request-relax --registry metrics.json --out ask --key " + key + " " + more);
    }
    mode_t mode_of(const std::string &name) const {
        struct stat about = {};
        EXPECT_EQ(::stat((directory_ / name).c_str(), &about), 0);
        return about.st_mode & 07777;
    }

    temporary_directory directory_;
    std::string out_, err_;
};

TEST_F(RequestProgram, KeygenWritesTwoFilesOfTheirOwnKind) {
    ASSERT_EQ(run("keygen --requests --out keys", "umask 0777"), 0) << err_;
    int files = 0;
    for (const auto &[path, text] : tree(directory_ / "keys")) {
        const bool is_private = std::filesystem::path(path).extension() == ".key";
        EXPECT_TRUE(text.starts_with(is_private ? "sotto private request key v1\np256 "
                                                : "sotto public request key v1\np256 "));
        EXPECT_EQ(text.find('\n', 30) - text.find("p256 ") - 5, is_private ? 64u : 128u);
        EXPECT_EQ(mode_of("keys/" + std::filesystem::path(path).filename().string()),
                  is_private ? 0600u : 0644u);
        ++files;
    }
    EXPECT_EQ(files, 2);
}

TEST_F(RequestProgram, WritesASignedRequest) {
    const std::string key = keygen("keys");
    const std::string fields = "--metric damage --level 1 --epochs 3-200 --serial 7";
    ASSERT_EQ(relax(fields, key + ".key"), 0) << err_;
    const std::string bytes = read_file(directory_ / "ask");
    ASSERT_EQ(bytes.size(), 2 + 16 + 2 + 64u);
    EXPECT_EQ(bytes.substr(0, 3), "\x0a\x10\x0d");
    EXPECT_EQ(bytes.substr(7, 11), std::string("\x10\x01\x18\x01\x20\x03\x28\xc8\x01\x30\x07"));
    EXPECT_EQ(bytes.substr(18, 2), "\x12\x40");
    EXPECT_NE(out_.find("request 7 to relax \"damage\" to level 1 in epochs 3 to 200, signed"),
              std::string::npos)
        << out_;
    ASSERT_EQ(relax(fields + " --select true", key + ".key"), 0) << err_;
    EXPECT_EQ(read_file(directory_ / "ask").substr(18, 5), "\x3a\x01\x01\x12\x40");
    ASSERT_EQ(
        relax("--metric phase --level 1 --epochs 4 --serial 7 --select 'landing,cruise, level'",
              key + ".key"),
        0)
        << err_;
    EXPECT_NE(read_file(directory_ / "ask").find("\x3a\x02\x01\x03\x12\x40"), std::string::npos);
    ASSERT_EQ(relax("--metric damage --level 1 --epochs 4 --serial 7", key + ".key"), 0);
    ASSERT_EQ(relax("--metric smoke --level 1 --epochs 4 --serial 7 --select true", key + ".key"),
              0)
        << err_;
    EXPECT_NE(out_.find("epochs 4 to 4"), std::string::npos) << "one epoch may be said once";
}

TEST_F(RequestProgram, RefusesWithOneLineAndWritesNothing) {
    const std::string key = keygen("keys") + ".key";
    const std::string good = " --level 1 --epochs 1-2 --serial 1";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"--metric roof" + good, "no \"roof\""},
        {"--metric hour" + good, "\"hour\" has no request_level"},
        {"--metric damage --level 2 --epochs 1-2 --serial 1", "2 is not 1 to 1"},
        {"--metric damage --level 0 --epochs 1-2 --serial 1", "0 is not 1 to 1"},
        {"--metric damage --level 1 --epochs 2-1 --serial 1", "--epochs: \"2-1\""},
        {"--metric damage --level 1 --epochs 1-4294967295 --serial 1", "--epochs"},
        {"--metric damage --level 1 --epochs -1 --serial 1", "--epochs"},
        {"--metric damage --level 1 --epochs 1-2 --serial 0", "--serial: 0"},
        {"--metric damage --select maybe" + good, "\"false\", \"true\""},
        {"--metric damage --select false,true" + good, "every value"},
        {"--metric lights --select true" + good, "laplace_threshold on a fine grid, which no"},
        {"--metric damage --select true," + good, "no \"\""},
        {"--metric speed --select 1" + good,
         "which no estimator allows for; --select takes a metric"},
    };
    for (const auto &[arguments, words] : cases) {
        EXPECT_EQ(relax(arguments, key), 2) << arguments;
        EXPECT_NE(err_.find(words), std::string::npos) << err_;
        EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
        EXPECT_FALSE(std::filesystem::exists(directory_ / "ask"));
    }
}

TEST_F(RequestProgram, OnlyAPrivateRequestKeySigns) {
    const std::string key = keygen("keys");
    ASSERT_EQ(run("keygen --out sealing"), 0);
    const std::string good = "--metric damage --level 1 --epochs 1-2 --serial 1";
    std::string text = read_file(directory_ / (key + ".key"));
    text[40] = text[40] == '0' ? '1' : '0';
    directory_.file("flipped.key", text);
    directory_.file("zero.key", "sotto private request key v1\np256 " + std::string(64, '0') +
                                    "\nid 00000000\n");
    std::string sealing;
    for (const auto &[path, content] : tree(directory_ / "sealing")) {
        sealing = "sealing/" + std::filesystem::path(path).filename().string();
    }
    for (const auto &[name, words] :
         std::vector<std::pair<std::string, std::string>>{{key + ".pub", "a public key"},
                                                          {"flipped.key", "a digit was changed"},
                                                          {"zero.key", "no private key on P-256"},
                                                          {sealing, "a key that seals"},
                                                          {"none.key", "none.key"}}) {
        EXPECT_EQ(relax(good, name), 2) << name;
        EXPECT_NE(err_.find(words), std::string::npos) << err_;
        EXPECT_EQ(err_.find(text.substr(45, 20)), std::string::npos) << "it shows the key";
    }
    EXPECT_EQ(relax(good, key + ".key"), 0) << "the control";
}

} // namespace
} // namespace sotto::aggregator::test
