// SPDX-License-Identifier: Apache-2.0
// The program is killed at random moments of everything that writes to a store, and must end where
// an undisturbed run ends.
#include "support.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace sotto::aggregator::test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using arguments = std::vector<std::string>;

constexpr int kills_wanted = 200, kills_at_least = 50;
constexpr auto time_limit = 60s; // on a slow machine, or under a sanitizer

// Starts the program in a directory, silent, after `prepare` ran in the child.
pid_t start(const std::string &directory, const arguments &what, void (*prepare)() = nullptr) {
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    std::vector<char *> argv;
    std::string program = SOTTO_PROGRAM;
    argv.push_back(program.data());
    for (const std::string &one : what) {
        argv.push_back(const_cast<char *>(one.c_str()));
    }
    argv.push_back(nullptr);
    const int nowhere = open("/dev/null", O_WRONLY);
    const int errors = open((directory + "/errors").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (chdir(directory.c_str()) != 0 || dup2(nowhere, 1) < 0 || dup2(errors, 2) < 0) {
        _exit(99);
    }
    if (prepare != nullptr) {
        prepare();
    }
    execv(argv[0], argv.data());
    _exit(98);
}

int wait_for(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
}

int run(const std::string &directory, const arguments &what, void (*prepare)() = nullptr) {
    const int status = wait_for(start(directory, what, prepare));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Files of reports that overlap, repeat, relax and contradict each other.
void write_files(const temporary_directory &to) {
    (void)to.file("metrics.json", registry_text());
    std::mt19937 random(11);
    for (int f = 0; f < 3; ++f) {
        std::string bytes;
        for (int e = 0; e < 400; ++e) {
            wire_report one, two;
            one.release = std::to_string(10'000'000 + random() % 1500);
            one.index = random() % 2;
            two.release = std::to_string(20'000'000 + random() % 1500);
            two.metric = 7;
            two.level = random() % 2;
            two.epoch_age = random() % 3;
            bytes += file_of(one, two);
        }
        (void)to.file("in" + std::to_string(f) + ".bin", bytes);
    }
}

arguments with_registry(const std::string &command, const arguments &more) {
    arguments all = {command, "--registry", "metrics.json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

// All that the store's life consists of, in order; every step may be repeated.
std::vector<arguments> life() {
    const arguments all_files = {"--store", "store", "in0.bin", "in1.bin", "in2.bin"};
    return {with_registry("ingest", {"--store", "store", "in0.bin"}),
            with_registry("tally", {"--store", "store", "--epoch", "5"}),
            with_registry("ingest", {"--store", "store", "in1.bin"}),
            with_registry("ingest", all_files),
            with_registry("tally", {"--store", "store", "--part", "0/2", "--out", "part0"}),
            with_registry("tally", {"--store", "store", "--part", "1/2", "--out", "part1"}),
            with_registry("merge", {"--store", "store", "part0", "part1"}),
            with_registry("merge", {"--out", "merged", "part0", "part1"}),
            with_registry("tally", {"--store", "store", "--out", "tally"}),
            {"expire", "--store", "store", "--epoch", "4"},
            with_registry("tally", {"--store", "store", "--out", "tally"})};
}

// What a person gets out of it in the end.
std::vector<std::string> outcome(const temporary_directory &of) {
    EXPECT_EQ(run((of / "").string(), {"verify", "--store", "store"}), 0)
        << read_file(of / "errors");
    EXPECT_EQ(run((of / "").string(), with_registry("estimate", {"--store", "store", "--format",
                                                                 "json", "--out", "estimate"})),
              0);
    return {read_file(of / "tally"), read_file(of / "merged"), read_file(of / "estimate")};
}

TEST(Kill, TwoHundredTimesChangesNothing) {
    const temporary_directory quiet, loud;
    write_files(quiet);
    std::vector<clock::duration> durations;
    for (const arguments &step : life()) {
        const auto begun = clock::now();
        ASSERT_EQ(run((quiet / "").string(), step), 0) << read_file(quiet / "errors");
        durations.push_back(clock::now() - begun);
    }
    const std::vector<std::string> expected = outcome(quiet);
    EXPECT_GT(expected[0].size(), 50u);

    std::mt19937_64 random(5);
    int kills = 0, lives = 0;
    const auto end = clock::now() + time_limit;
    for (; kills < kills_wanted && clock::now() < end; ++lives) {
        write_files(loud);
        std::filesystem::remove_all(loud / "store");
        for (std::size_t i = 0; i < durations.size(); ++i) {
            // Every step until it gets through; it is let through sooner or later.
            for (int attempt = 0;; ++attempt) {
                const pid_t child = start((loud / "").string(), life()[i]);
                if (attempt < 4) {
                    const auto most = std::chrono::microseconds(durations[i] / 1us);
                    std::this_thread::sleep_for(most * static_cast<long>(random() % 1000) / 1000);
                    kill(child, SIGKILL);
                }
                const int status = wait_for(child);
                if (WIFEXITED(status)) {
                    ASSERT_EQ(WEXITSTATUS(status), 0) << read_file(loud / "errors");
                    break;
                }
                ++kills;
                if (attempt % 2 == 1 && std::filesystem::exists(loud / "store")) {
                    // Whatever was cut, what is there is whole.
                    ASSERT_EQ(run((loud / "").string(), {"verify", "--store", "store"}), 0)
                        << read_file(loud / "errors");
                }
            }
        }
        ASSERT_EQ(outcome(loud), expected) << "life " << lives;
    }
    EXPECT_GE(kills, kills_at_least);
    std::printf("%d kills in %d lives\n", kills, lives);
}

// The campaign would see a loss: without the last segment, the end is another and verify says so.
TEST(Kill, ALostSegmentIsSeen) {
    const temporary_directory directory;
    write_files(directory);
    ASSERT_EQ(run((directory / "").string(), life()[0]), 0);
    ASSERT_EQ(run((directory / "").string(), {"verify", "--store", "store"}), 0);
    std::filesystem::path last;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(directory / "store/segments")) {
        last = entry.is_regular_file() ? entry.path() : last;
    }
    const std::string bytes = read_file(last);
    std::filesystem::remove(last);
    EXPECT_EQ(run((directory / "").string(), {"verify", "--store", "store"}), 3);
    EXPECT_NE(read_file(directory / "errors").find("missing; "), std::string::npos);
    // One that is whole and sound, but not the one that counts.
    std::ofstream(last, std::ios::binary) << replaced(bytes, bytes.substr(30, 8), "another!");
    EXPECT_EQ(run((directory / "").string(), {"verify", "--store", "store"}), 3);
    EXPECT_NE(read_file(directory / "errors").find("damaged"), std::string::npos);
}

// The same for what is acknowledged: a file that was taken in before a cut is there after it.
TEST(Kill, AcknowledgedReportsStay) {
    const temporary_directory directory;
    write_files(directory);
    ASSERT_EQ(run((directory / "").string(), life()[0]), 0);
    const auto segments = tree(directory / "store/segments");
    for (int i = 1; i <= 20; ++i) {
        const pid_t child = start((directory / "").string(), life()[2]);
        std::this_thread::sleep_for(i * 500us);
        kill(child, SIGKILL);
        (void)wait_for(child);
        for (const auto &[name, bytes] : segments) {
            ASSERT_EQ(name.ends_with(".seg") ? read_file(name) : bytes, bytes);
        }
    }
    ASSERT_EQ(run((directory / "").string(), {"verify", "--store", "store"}), 0);
}

void small_files() {
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {8192, 8192};
    (void)setrlimit(RLIMIT_FSIZE, &limit);
}

TEST(Store, AFullDiskIsExitThreeAndLosesNothing) {
    const temporary_directory quiet, full;
    write_files(quiet);
    write_files(full);
    ASSERT_EQ(run((quiet / "").string(), life()[0]), 0);
    ASSERT_EQ(run((full / "").string(), life()[0]), 0);
    for (const arguments &step : life()) {
        ASSERT_EQ(run((quiet / "").string(), step), 0);
        const int status = run((full / "").string(), step, small_files);
        ASSERT_TRUE(status == 0 || status == 3) << read_file(full / "errors");
        ASSERT_EQ(run((full / "").string(), {"verify", "--store", "store"}), 0);
        ASSERT_EQ(run((full / "").string(), step), 0);
    }
    EXPECT_EQ(outcome(full), outcome(quiet));
    const arguments first = with_registry("ingest", {"--store", "other", "in1.bin"});
    EXPECT_EQ(run((full / "").string(), first, small_files), 3);
    EXPECT_NE(read_file(full / "errors").find("run this again"), std::string::npos);
    EXPECT_EQ(run((full / "").string(), first), 0);
}

void become_nobody() {
    if (setgid(65534) != 0 || setuid(65534) != 0) {
        _exit(97);
    }
}

TEST(Store, AReadOnlyStoreCanBeReadAndNotWritten) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root can become somebody else";
    }
    const temporary_directory directory;
    write_files(directory);
    ASSERT_EQ(run((directory / "").string(), life()[0]), 0);
    (void)directory.file("errors", "");
    std::filesystem::permissions(directory / "errors", std::filesystem::perms(0666));
    std::filesystem::permissions(directory / "", std::filesystem::perms(0755));
    if (run((directory / "").string(), {"--version"}, become_nobody) != 0) {
        GTEST_SKIP() << "nobody can't run the program where it is";
    }
    const auto before = tree(directory / "store");
    EXPECT_EQ(run((directory / "").string(), with_registry("estimate", {"--store", "store"}),
                  become_nobody),
              0)
        << read_file(directory / "errors");
    EXPECT_EQ(run((directory / "").string(), {"verify", "--store", "store"}, become_nobody), 0);
    for (const arguments &step : {life()[1], life()[2], life()[9]}) {
        EXPECT_EQ(run((directory / "").string(), step, become_nobody), 3);
        EXPECT_NE(read_file(directory / "errors")
                      .find("store/lock: Permission denied; with the right to it, run this again: "
                            "nothing is counted twice"),
                  std::string::npos);
    }
    EXPECT_EQ(tree(directory / "store"), before);
}

TEST(Store, ALedgerThatIsGoneIsNoEmptyStore) {
    const temporary_directory directory;
    write_files(directory);
    ASSERT_EQ(run((directory / "").string(), life()[0]), 0);
    std::filesystem::rename(directory / "store/ledger.sqlite", directory / "kept");
    EXPECT_EQ(run((directory / "").string(), life()[2]), 3);
    EXPECT_EQ(run((directory / "").string(), {"verify", "--store", "store"}), 3);
    std::filesystem::rename(directory / "kept", directory / "store/ledger.sqlite");
    EXPECT_EQ(run((directory / "").string(), {"verify", "--store", "store"}), 0);
}

TEST(StoreCommands, SayWhatIsWrong) {
    const temporary_directory directory;
    write_files(directory);
    ASSERT_EQ(run((directory / "").string(), life()[0]), 0);
    ASSERT_EQ(run((directory / "").string(), life()[4]), 0); // part0 of two
    const struct {
        arguments what;
        int exit;
        const char *text;
    } cases[] = {
        {with_registry("tally", {"--store", "store", "--part", "0/2"}), 2, "--out is needed"},
        {with_registry("tally", {"--store", "store", "--part", "2/2", "--out", "x"}), 2,
         "\"2/2\" is not I/N"},
        {with_registry("tally", {"--store", "store", "--part", "1/", "--out", "x"}), 2,
         "is not I/N"},
        {with_registry("tally", {"--store", "nowhere"}), 2, "nowhere: no such store"},
        {with_registry("merge", {"part0"}), 2, "either --store or --out"},
        {with_registry("merge", {"--out", "x", "part0"}), 2, "part 1/2 is missing"},
        {with_registry("merge", {"--out", "x", "in0.bin"}), 2, "in0.bin: not a tally file"},
        {{"close", "--store", "nowhere", "--epoch", "1"}, 2, "nowhere: no such store"},
        {{"expire", "--store", "store"}, 2, "--epoch is required"},
        {{"verify", "--store", "nowhere"}, 2, "nowhere: no such store"},
    };
    const auto before = tree(directory / "store/segments");
    for (const auto &c : cases) {
        EXPECT_EQ(run((directory / "").string(), c.what), c.exit) << c.text;
        const std::string said = read_file(directory / "errors");
        EXPECT_NE(said.find(c.text), std::string::npos) << said;
        EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
        EXPECT_FALSE(std::filesystem::exists(directory / "x"));
        EXPECT_FALSE(std::filesystem::exists(directory / "nowhere"));
    }
    EXPECT_EQ(tree(directory / "store/segments"), before);
}

// A store of a version to come is left alone, with what to do.
TEST(StoreCommands, LeaveANewerStoreAlone) {
    const temporary_directory directory;
    write_files(directory);
    ASSERT_EQ(run((directory / "").string(), life()[0]), 0);
    (void)directory.file("store/store.json", "{\"format\": 5}\n");
    const auto before = tree(directory / "store");
    for (const std::size_t step : {1U, 2U, 9U}) {
        EXPECT_EQ(run((directory / "").string(), life()[step]), 3);
        EXPECT_NE(
            read_file(directory / "errors").find("if a newer sotto wrote the store, use that"),
            std::string::npos);
    }
    EXPECT_EQ(tree(directory / "store"), before);
}

} // namespace
} // namespace sotto::aggregator::test
