// SPDX-License-Identifier: Apache-2.0
// The program is killed at random moments of everything that writes to a store, and must end where
// an undisturbed run ends.
#include "aggregator/base/file.hpp"
#include "aggregator/store/merge.hpp"
#include "aggregator/store/store.hpp"
#include "support.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sched.h>
#include <set>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace sotto::aggregator::test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using arguments = std::vector<std::string>;

constexpr int kills_wanted = 200;
constexpr auto time_limit = 10min; // half a minute on two busy cores

// Starts the program in a directory, silent, after `prepare` ran in the child.
pid_t start(const std::string &directory, const arguments &what, void (*prepare)() = nullptr) {
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    std::vector<char *> argv;
    std::string program = SOTTO_PROGRAM;
    argv.push_back(program.data());
    for (const std::string &argument : what) {
        argv.push_back(const_cast<char *>(argument.c_str()));
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

// Sealed reports of epoch 5, and the key that opens them.
void write_sealed_file(const temporary_directory &folder) {
    const std::string in = (folder / "").string();
    std::string rows = "d\n";
    for (int i = 0; i < 200; ++i) {
        rows += i % 3 == 0 ? "1\n" : "0\n";
    }
    (void)folder.file("rows.csv", rows);
    ASSERT_EQ(run(in, {"keygen", "--out", "keys"}), 0) << read_file(folder / "errors");
    std::string key;
    for (const auto &entry : std::filesystem::directory_iterator(folder / "keys")) {
        key = entry.path().extension() == ".pub" ? entry.path().string() : key;
    }
    ASSERT_EQ(run(in, {"simulate", "--registry", "metrics.json", "--input", "rows.csv", "--map",
                       "damage=d", "--epoch", "5", "--key", key, "--out", "sealed.bin"}),
              0)
        << read_file(folder / "errors");
}

// Files of reports that overlap, repeat, relax and contradict each other, and one that comes late.
void write_files(const temporary_directory &folder) {
    (void)folder.file("metrics.json", registry_text());
    std::mt19937 random(11);
    for (int f = 0; f < 3; ++f) {
        std::string bytes;
        for (int e = 0; e < 400; ++e) {
            wire_report first, second;
            first.release = std::to_string(10'000'000 + random() % 1500);
            first.index = random() % 2;
            second.release = std::to_string(20'000'000 + random() % 1500);
            second.metric = 7;
            second.level = random() % 2;
            second.epoch_age = random() % 3;
            bytes += file_of(first, second);
        }
        (void)folder.file("in" + std::to_string(f) + ".bin", bytes);
    }
    wire_report late;
    late.release = "too late";
    (void)folder.file("late.bin", file_of(late));
}

arguments with_registry(const std::string &command, const arguments &more) {
    arguments words = {command, "--registry", "metrics.json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
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
            with_registry("tally", {"--store", "store", "--out", "tally"}),
            with_registry("ingest", {"--store", "store", "--key", "keys", "sealed.bin"}),
            {"close", "--store", "store", "--epoch", "5"},
            with_registry("ingest", {"--store", "store", "late.bin"}),
            with_registry("tally", {"--store", "store", "--out", "tally"})};
}

// A person's view of it in the end.
std::vector<std::string> outcome(const temporary_directory &folder) {
    EXPECT_EQ(run((folder / "").string(), {"verify", "--store", "store"}), 0)
        << read_file(folder / "errors");
    EXPECT_EQ(run((folder / "").string(), with_registry("estimate", {"--store", "store", "--format",
                                                                     "json", "--out", "estimate"})),
              0);
    return {read_file(folder / "tally"), read_file(folder / "merged"),
            read_file(folder / "estimate"),
            store::to_read(folder / "store").book().rejected().text()};
}

TEST(Kill, TwoHundredTimesChangesNothing) {
    const temporary_directory quiet, loud;
    write_files(quiet);
    write_sealed_file(quiet);
    std::filesystem::copy(quiet / "keys", loud / "keys");
    std::filesystem::copy(quiet / "sealed.bin", loud / "sealed.bin");
    std::vector<clock::duration> durations;
    for (const arguments &step : life()) {
        const auto begun = clock::now();
        ASSERT_EQ(run((quiet / "").string(), step), 0) << read_file(quiet / "errors");
        durations.push_back(clock::now() - begun);
    }
    const std::vector<std::string> expected = outcome(quiet);
    EXPECT_GT(expected[0].size(), 50u);
    EXPECT_EQ(expected[3], "1 too late: the epoch is closed");

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
                if (attempt % 2 == 1 && std::filesystem::exists(loud / "store/store.json")) {
                    // Whatever was cut, what is there is whole.
                    ASSERT_EQ(run((loud / "").string(), {"verify", "--store", "store"}), 0)
                        << read_file(loud / "errors");
                }
            }
        }
        ASSERT_EQ(outcome(loud), expected) << "life " << lives;
    }
    EXPECT_GE(kills, kills_wanted) << "in the time there was";
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

std::set<row> rows_in(const std::filesystem::path &path) {
    const store held = store::to_read(path);
    std::set<row> found;
    for (const metric &m : held.metrics()) {
        const std::vector<segment> segments = held.segments(m);
        merged_rows rows(segments, std::nullopt);
        for (row_view row_here = rows.next(); !row_here.empty(); row_here = rows.next()) {
            EXPECT_TRUE(found.emplace(row_here.begin(), row_here.end()).second) << "counted twice";
        }
    }
    return found;
}

// Reports that were taken in and acknowledged before a cut count after it.
TEST(Kill, AcknowledgedReportsStay) {
    const temporary_directory directory;
    write_files(directory);
    ASSERT_EQ(run((directory / "").string(), life()[0]), 0);
    const std::set<row> acknowledged = rows_in(directory / "store");
    EXPECT_GT(acknowledged.size(), 500u);
    for (int i = 1; i <= 20; ++i) {
        const pid_t child = start((directory / "").string(), life()[2]);
        std::this_thread::sleep_for(i * 500us);
        kill(child, SIGKILL);
        (void)wait_for(child);
        const std::set<row> now = rows_in(directory / "store");
        ASSERT_TRUE(std::ranges::includes(now, acknowledged));
    }
    ASSERT_EQ(run((directory / "").string(), life()[2]), 0);
    const std::set<row> kept = rows_in(directory / "store");
    EXPECT_GT(kept.size(), acknowledged.size());
    EXPECT_TRUE(std::ranges::includes(kept, acknowledged));
    ASSERT_EQ(run((directory / "").string(), {"verify", "--store", "store"}), 0);
}

// As the README says how to copy: a writer waits while the lock is held.
TEST(Store, ACopyUnderTheLockIsWhole) {
    const temporary_directory directory;
    const std::string in = (directory / "").string();
    write_files(directory);
    ASSERT_EQ(run(in, life()[0]), 0);
    const std::set<row> before = rows_in(directory / "store");
    pid_t writer = 0;
    {
        const descriptor lock(open((directory / "store/lock").c_str(), O_RDWR | O_CLOEXEC));
        ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
        writer = start(in, life()[3]);
        for (int i = 0; i < 1000 && read_file(directory / "errors").empty(); ++i) {
            std::this_thread::sleep_for(10ms);
        }
        EXPECT_NE(read_file(directory / "errors").find("waiting for another"), std::string::npos);
        std::filesystem::copy(directory / "store", directory / "copy",
                              std::filesystem::copy_options::recursive);
    }
    const int status = wait_for(writer);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << read_file(directory / "errors");
    EXPECT_EQ(run(in, {"verify", "--store", "copy"}), 0) << read_file(directory / "errors");
    EXPECT_EQ(rows_in(directory / "copy"), before);
    EXPECT_GT(rows_in(directory / "store").size(), before.size());
}

void small_files() {
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {8192, 8192};
    (void)setrlimit(RLIMIT_FSIZE, &limit);
}

// The life of a store in which each step is taken where nothing can be written, and then again.
// Answers how many had to be taken again.
template <typename Begin, typename End>
int live_where_it_is_full(const temporary_directory &full, Begin begin, End end,
                          void (*prepare)() = nullptr) {
    const temporary_directory quiet;
    write_files(quiet);
    write_sealed_file(quiet);
    write_files(full);
    std::filesystem::copy(quiet / "keys", full / "keys");
    std::filesystem::copy(quiet / "sealed.bin", full / "sealed.bin");
    int failed = 0;
    for (const arguments &step : life()) {
        EXPECT_EQ(run((quiet / "").string(), step), 0);
        begin();
        const int status = run((full / "").string(), step, prepare);
        const std::string errors = read_file(full / "errors");
        end();
        EXPECT_TRUE(status == 0 || status == 3) << errors;
        if (status == 3) {
            ++failed;
            EXPECT_NE(errors.find("run this again"), std::string::npos) << errors;
        }
        if (std::filesystem::exists(full / "store/store.json")) {
            EXPECT_EQ(run((full / "").string(), {"verify", "--store", "store"}), 0)
                << read_file(full / "errors");
        }
        EXPECT_EQ(run((full / "").string(), step), 0) << read_file(full / "errors");
    }
    EXPECT_EQ(outcome(full), outcome(quiet));
    return failed;
}

TEST(Store, FilesThatMayNotGrowAreExitThreeAndLoseNothing) {
    const temporary_directory full;
    const auto nothing = [] {};
    EXPECT_GE(live_where_it_is_full(full, nothing, nothing, small_files), 5);
}

// A file system of its own, where this process may make one: nobody else sees it, and it ends with
// the process.
class small_disk {
  public:
    explicit small_disk(std::filesystem::path at) : at_(std::move(at)) {
        std::filesystem::create_directory(at_);
        mounted_ = unshare(CLONE_NEWNS) == 0 &&
                   mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                   mount("tmpfs", at_.c_str(), "tmpfs", 0, "size=4m") == 0;
    }
    small_disk(const small_disk &) = delete;
    small_disk &operator=(const small_disk &) = delete;
    ~small_disk() {
        if (mounted_) {
            umount2(at_.c_str(), MNT_DETACH);
        }
    }

    bool is_there() const { return mounted_; }
    // All but so much, in a place where a store lets other files be.
    void fill(std::size_t free_bytes) const {
        std::filesystem::create_directory(at_ / "registries");
        const auto space = std::filesystem::space(at_).available;
        std::ofstream(filler(), std::ios::binary)
            << std::string(space > free_bytes ? space - free_bytes : 0, '.');
    }
    void empty() const { std::filesystem::remove(filler()); }

  private:
    std::filesystem::path filler() const { return at_ / "registries/filler"; }

    std::filesystem::path at_;
    bool mounted_ = false;
};

TEST(Store, AFullDiskIsExitThreeAndLosesNothing) {
    const temporary_directory full;
    const small_disk disk(full / "store");
    if (!disk.is_there()) {
        GTEST_SKIP() << "no right to make a file system; the test above stands for it";
    }
    std::size_t free_bytes = 0;
    const auto fill = [&] {
        disk.fill(free_bytes);
        free_bytes = (free_bytes + 12288) % 65536;
    };
    EXPECT_GE(live_where_it_is_full(full, fill, [&] { disk.empty(); }), 5);
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
    for (const arguments &what : {life()[2], arguments{"verify", "--store", "store"}}) {
        EXPECT_EQ(run((directory / "").string(), what), 3);
        EXPECT_NE(read_file(directory / "errors").find("ledger.sqlite: missing; restore it from a"),
                  std::string::npos)
            << read_file(directory / "errors");
    }
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
        {with_registry("merge", {"part0"}), 2, "one of --store, --into and --out"},
        {with_registry("merge", {"--out", "x", "part0"}), 2, "part 1/2 is missing"},
        {with_registry("merge", {"--out", "x", "in0.bin"}), 2, "in0.bin: not a tally file"},
        {{"close", "--store", "nowhere", "--epoch", "1"}, 2, "nowhere: no such store"},
        {{"expire", "--store", "store"}, 2, "--epoch is required"},
        {{"verify", "--store", "nowhere"}, 2, "nowhere: no such store"},
        {{"verify", "--store", "empty"}, 2, "empty: no store: nothing was ever ingested"},
        {{"verify", "--store", "in0.bin"}, 2, "in0.bin: not a store: it is a file"},
        {with_registry("ingest", {"--store", "in0.bin", "in0.bin"}), 2,
         "not a store: it is a file"},
    };
    std::filesystem::create_directory(directory / "empty");
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
