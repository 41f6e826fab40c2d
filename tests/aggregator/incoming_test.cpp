// SPDX-License-Identifier: Apache-2.0
// A directory that anybody writes to, looked into: what a single run of the program can't show.
#include "aggregator/base/failure.hpp"
#include "aggregator/store/incoming.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

namespace fs = std::filesystem;

bool goes_on() { return false; }

TEST(Incoming, WhatIsStillWrittenHoldsUpNothing) {
    const temporary_directory directory;
    const std::string whole = file_of(wire_report{});
    for (int i = 0; i < 100; ++i) {
        directory.file("whole" + std::to_string(i), whole);
    }
    const fs::path cut = directory.file("cut", whole.substr(1));
    for (int i = 0; i < 20'000; ++i) {
        fs::create_hard_link(cut, directory / ("cut" + std::to_string(i)));
    }
    incoming coming(directory / "", goes_on);
    const std::vector<fs::path> first = coming.look();
    EXPECT_EQ(first.size(), 100u);
    EXPECT_TRUE(std::ranges::all_of(
        first, [](const fs::path &file) { return file.filename().string().starts_with("whole"); }));
    EXPECT_EQ(coming.look().size(), 10'000u) << "a look has no bound";
}

TEST(Incoming, ALookEndsWhenItIsToldToWithinAFileToo) {
    const temporary_directory directory;
    std::string bytes;
    while (bytes.size() < 1 << 20) {
        bytes += delimited("x");
    }
    directory.file("long", bytes);
    int asked = 0;
    EXPECT_TRUE(incoming(directory / "", [&] { return ++asked >= 3; }).look().empty());
    EXPECT_GE(asked, 3);
    EXPECT_LT(asked, 6);
    EXPECT_EQ(incoming(directory / "", goes_on).look().size(), 1u);
}

// Between the look and the move an uploader's second file may come under the name of the first.
TEST(Incoming, WhatNobodyReadIsNotMovedAway) {
    const temporary_directory directory;
    const fs::path file = directory.file("a.bin", "read"), taken = directory / "ingested";
    const std::optional<file_stamp> read = stamp_of(file);
    ASSERT_TRUE(read);
    fs::rename(directory.file(".part", "unread"), file);
    EXPECT_FALSE(move_into(taken, file, *read));
    EXPECT_EQ(read_file(file), "unread");
    EXPECT_TRUE(fs::is_empty(taken));
    EXPECT_TRUE(move_into(taken, file, *stamp_of(file)));
    EXPECT_EQ(read_file(taken / "a.bin"), "unread");
    EXPECT_FALSE(fs::exists(file));
}

} // namespace
} // namespace sotto::aggregator::test
