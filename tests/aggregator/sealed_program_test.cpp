// SPDX-License-Identifier: Apache-2.0
// Keys and sealed files through the program: keygen, simulate --key, ingest --key, inspect --key.
#include "run_program.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>

namespace sotto::aggregator::test {
namespace {

class SealedProgram : public testing::Test {
  protected:
    SealedProgram() {
        directory_.file("metrics.json", read_file(SOTTO_COMPILED_REGISTRY));
        std::string rows = "d\n";
        for (int i = 0; i < 20; ++i) {
            rows += i % 3 == 0 ? "1\n" : "0\n";
        }
        directory_.file("rows.csv", rows);
    }

    program_result run(const std::string &arguments, const std::string &before = ":") const {
        return run_program(directory_, arguments, before);
    }

    // The id of the one key pair in a folder.
    std::string keygen(const std::string &folder) const {
        EXPECT_EQ(run("keygen --out " + folder).exit, 0);
        for (const auto &entry : std::filesystem::directory_iterator(directory_ / folder)) {
            if (entry.path().extension() == ".pub") {
                return entry.path().stem().string();
            }
        }
        return "none";
    }
    void simulate(const std::string &file, const std::string &more) const {
        const program_result r =
            run("simulate --registry metrics.json --input rows.csv --map damage=d "
                "--out " +
                file + " " + more);
        EXPECT_EQ(r.exit, 0) << r.err;
    }
    program_result ingest(const std::string &more) const {
        return run("ingest --registry metrics.json --store store " + more);
    }
    mode_t mode_of(const std::string &name) const {
        struct stat about = {};
        EXPECT_EQ(::stat((directory_ / name).c_str(), &about), 0);
        return about.st_mode & 07777;
    }

    temporary_directory directory_;
};

TEST_F(SealedProgram, KeygenWritesTwoFilesWhateverTheUmask) {
    std::set<std::string> ids;
    for (const char *umask : {"umask 000", "umask 022", "umask 077", "umask 0777"}) {
        const std::string folder = "keys" + std::to_string(ids.size());
        std::filesystem::create_directory(directory_ / folder);
        const program_result r = run("keygen --out " + folder, umask);
        ASSERT_EQ(r.exit, 0) << r.err;
        const auto files = tree(directory_ / folder);
        ASSERT_EQ(files.size(), 2u);
        std::string id;
        for (const auto &[path, text] : files) {
            const std::filesystem::path file = path;
            id = file.stem();
            const bool is_private = file.extension() == ".key";
            EXPECT_EQ(mode_of(folder + "/" + file.filename().string()), is_private ? 0600u : 0644u);
            if (is_private) {
                const std::string secret = text.substr(text.find("x25519 ") + 7, 64);
                EXPECT_EQ(secret.find_first_not_of("0123456789abcdef"), std::string::npos);
                EXPECT_EQ((r.out + r.err).find(secret.substr(0, 12)), std::string::npos);
            }
        }
        ids.insert(id);
    }
    EXPECT_EQ(ids.size(), 4u);
    EXPECT_EQ(run("keygen").exit, 2);
    directory_.file("file", "");
    EXPECT_EQ(run("keygen --out file").exit, 3);
}

TEST_F(SealedProgram, WhatIsSealedOpensWithItsKeyOnly) {
    const std::string id = keygen("mine"), other = keygen("others");
    simulate("sealed.bin", "--key mine/" + id + ".pub");
    // Without a key nothing can be read, and nothing is left behind.
    program_result r = ingest("sealed.bin");
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("sealed.bin: nothing readable: 20 sealed, and no --key was given"),
              std::string::npos)
        << r.err;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "store"));
    r = ingest("--key others sealed.bin");
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("20 sealed for a key that is not here (" + id + ")"), std::string::npos);
    EXPECT_EQ(ingest("--key mine/" + id + ".pub sealed.bin").exit, 2) << "a public key opens";
    EXPECT_EQ(ingest("--key nowhere sealed.bin").exit, 2);

    r = ingest("--key mine sealed.bin");
    EXPECT_EQ(r.exit, 0) << r.err;
    EXPECT_TRUE(r.out.starts_with("20 reports from 20 envelopes in ")) << r.out;
    EXPECT_EQ(r.out.find("rejected"), std::string::npos) << r.out;
    EXPECT_NE(run("inspect --registry metrics.json --key mine/" + id + ".key sealed.bin")
                  .out.find("\"metric\":1"),
              std::string::npos);
    r = run("inspect --registry metrics.json sealed.bin");
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("no --key"), std::string::npos);
}

TEST_F(SealedProgram, AReplayAddsDuplicatesOnly) {
    const std::string id = keygen("mine");
    simulate("sealed.bin", "--key mine/" + id + ".pub");
    const std::string bytes = read_file(directory_ / "sealed.bin");
    directory_.file("thrice.bin", bytes + bytes + bytes);
    program_result r = ingest("--key mine thrice.bin");
    EXPECT_TRUE(r.out.starts_with("20 reports from 60 envelopes in ")) << r.out;
    EXPECT_NE(r.out.find("\n40 duplicates, not counted again\n"), std::string::npos) << r.out;
    r = ingest("--key mine sealed.bin");
    EXPECT_TRUE(r.out.starts_with("0 reports from 20 envelopes in ")) << r.out;
    EXPECT_NE(r.out.find("\n20 duplicates, not counted again\n"), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find("rejected"), std::string::npos) << r.out;
}

TEST_F(SealedProgram, RejectsAreCountedByReason) {
    const std::string mine = keygen("keys"), other = keygen("others");
    simulate("plain.bin", "");
    simulate("mine.bin", "--key keys/" + mine + ".pub");
    simulate("other.bin", "--key others/" + other + ".pub");
    std::string broken = read_file(directory_ / "mine.bin");
    broken[80] = static_cast<char>(broken[80] ^ 1); // in the first ciphertext
    broken.resize(broken.size() - 1);               // the last one is cut
    directory_.file("broken.bin", broken);
    // The other key's fleet is of the past.
    const std::string retired = read_file(directory_ / ("others/" + other + ".key")) + "retired\n";
    directory_.file("keys/" + other + ".key", retired);
    const program_result r = ingest("--key keys plain.bin mine.bin other.bin broken.bin");
    EXPECT_EQ(r.exit, 2) << "other.bin has nothing readable";
    EXPECT_TRUE(r.out.starts_with("40 reports from ")) << r.out;
    EXPECT_NE(r.out.find("20 sealed for a retired key (" + other + ")"), std::string::npos)
        << r.out;
    EXPECT_NE(r.out.find("18 duplicate"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("1 truncated"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("1 sealed, and can't be opened"), std::string::npos) << r.out;
}

} // namespace
} // namespace sotto::aggregator::test
