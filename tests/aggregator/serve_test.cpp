// SPDX-License-Identifier: Apache-2.0
// The parts of sotto serve; tests/end_to_end/serve.py runs the whole.
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/serve/admission.hpp"
#include "aggregator/serve/group_commit.hpp"
#include "aggregator/serve/refusal_log.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

namespace sotto::aggregator::test {
namespace {

using boost::asio::ip::make_address;

std::string framed(std::size_t bytes) { return static_cast<char>(bytes) + std::string(bytes, 'x'); }

class GroupCommit : public testing::Test {
  protected:
    ~GroupCommit() override { std::filesystem::remove_all(directory_); }

    void add(const std::string &body) {
        bodies_.push_back(body);
        commit_.add(bodies_.back(),
                    [this](const std::exception_ptr &failure) { ++(failure ? failed_ : stored_); });
    }

    std::vector<std::string> files() const {
        std::vector<std::string> bodies;
        for (const auto &entry : std::filesystem::directory_iterator(directory_)) {
            std::ifstream file(entry.path());
            bodies.emplace_back(std::istreambuf_iterator<char>(file),
                                std::istreambuf_iterator<char>());
        }
        return bodies;
    }

    // Until all are told.
    void finish() {
        while (stored_ + failed_ < bodies_.size()) {
            context_.restart();
            (void)context_.run_for(std::chrono::milliseconds(10));
        }
    }

    std::filesystem::path directory_ =
        std::filesystem::path(testing::TempDir()) /
        testing::UnitTest::GetInstance()->current_test_info()->name();
    boost::asio::io_context context_;
    spool spool_{directory_};
    waiting_files room_{directory_, 1 << 20};
    std::deque<std::string> bodies_;
    std::size_t stored_ = 0, failed_ = 0;
    group_commit commit_{context_, spool_, room_};
};

// The first is written at once; all others come before anybody looks whether it is.
TEST_F(GroupCommit, WhatWaitsSharesASync) {
    for (std::size_t i = 0; i < 50; ++i) {
        add(framed(10 + 2 * i)); // all unreadable for one reason
    }
    finish();
    EXPECT_EQ(stored_, 50u);
    EXPECT_EQ(commit_.finished().groups, 2u);
    EXPECT_EQ(commit_.finished().syncs, 4u) << "a file and its name, twice";
    EXPECT_EQ(files().size(), 2u);
}

// Its claimed envelope would take in what follows.
TEST_F(GroupCommit, WhatLosesTheFramingHasAFileOfItsOwn) {
    add(framed(1));
    for (const std::string &body :
         {framed(20), std::string("\x7fhalf"), framed(30), std::string(5, '\0'), framed(40)}) {
        add(body);
    }
    finish();
    std::size_t whole = 0;
    for (const std::string &file : files()) {
        for (const std::size_t bytes : {20U, 30U, 40U}) {
            whole += ends_with_an_envelope(file) && file.find(framed(bytes)) != file.npos ? 1 : 0;
        }
    }
    EXPECT_EQ(whole, 3u);
    EXPECT_EQ(files().size(), 4u);
}

std::string envelope_of(char registry, const std::string &rest) {
    const std::string message = "\x08\x02\x15" + std::string(1, registry) + "abc" + rest;
    return static_cast<char>(message.size()) + message;
}
// An envelope sealed with nobody's key: serve does not look into it.
std::string sealed_for(char key, char registry, char with = 'c') {
    return envelope_of(registry, "\x25" + std::string(1, key) + std::string(3, '\0') + "\x2a\x20" +
                                     std::string(32, 'e') + "\x32\x04" + std::string(4, with));
}

// sotto ingest moves away a whole file for one body of an unknown key or registry.
TEST_F(GroupCommit, NoStrayBodySharesAFileWithOthers) {
    add(framed(1));
    std::multiset<std::string> honest;
    for (char i = 0; i < 20; ++i) {
        add(*honest.insert(sealed_for(7, 3, i) + sealed_for(7, 3)));
        add(i % 2 == 0 ? sealed_for(9, 3) : sealed_for(7, 8));
    }
    for (const std::string &stray :
         {sealed_for(7, 3) + sealed_for(9, 3), sealed_for(7, 3) + "\x7fhalf",
          envelope_of(3, "\x1a\x01x"), framed(40)}) {
        add(stray);
    }
    finish();
    std::size_t honest_files = 0;
    for (const std::string &file : files()) {
        std::multiset<std::string> bodies;
        const std::size_t body = honest.begin()->size();
        for (std::size_t at = 0; at < file.size(); at += body) {
            bodies.insert(file.substr(at, body));
        }
        honest_files += bodies == honest ? 1 : 0;
    }
    EXPECT_EQ(honest_files, 1u) << "all of them, and nothing else";
    EXPECT_EQ(files().size(), 1u + 1 + 2 + 4);
}

TEST_F(GroupCommit, FilesOfOneGroupShareASync) {
    add(framed(1));
    for (char i = 0; i < 8; ++i) {
        add(i % 2 == 0 ? sealed_for(static_cast<char>(20 + i), 3) : "\x7fhalf");
    }
    finish();
    EXPECT_EQ(files().size(), 9u);
    EXPECT_EQ(commit_.finished().groups, 2u);
    EXPECT_EQ(commit_.finished().syncs, 2u + 2) << "contents, then names";
}

// However many bodies have a file of their own, those that share one wait for no more than before.
TEST_F(GroupCommit, BodiesThatShareNoFileWaitForTheOthers) {
    add(framed(1));
    for (char i = 0; i < 60; ++i) {
        add(i % 2 == 0 ? sealed_for(static_cast<char>(20 + i), 3) : "\x7fhalf");
    }
    std::uint64_t groups = 0;
    for (char i = 0; i < 20; ++i) {
        bodies_.push_back(sealed_for(7, 3, i));
        commit_.add(bodies_.back(), [&](const std::exception_ptr &failure) {
            ++(failure ? failed_ : stored_);
            groups = commit_.finished().groups;
        });
    }
    finish();
    EXPECT_EQ(groups, 2u);
    EXPECT_EQ(stored_, 81u) << "and in the end all are stored";
    EXPECT_EQ(files().size(), 62u);
    EXPECT_EQ(commit_.finished().groups, 1u + 1 + 7) << "seven besides the shared one, then eight";
}

TEST_F(GroupCommit, WhatWaitsIsSaidAtOnce) {
    add(framed(1));
    add(framed(2));
    add("\x7fhalf");
    finish();
    EXPECT_EQ(files().size(), 3u);
    EXPECT_EQ(room_.files(), 3u);
    EXPECT_EQ(room_.file_bytes(), 3 * waiting_files::file_bytes_min);
}

TEST_F(GroupCommit, TriesTheDiskWithoutABody) {
    std::vector<bool> fails;
    const auto try_out = [&] {
        commit_.try_out([&](const std::exception_ptr &failure) { fails.push_back(!!failure); });
        for (const std::size_t before = fails.size(); fails.size() == before;) {
            context_.restart();
            (void)context_.run_for(std::chrono::milliseconds(10));
        }
    };
    try_out();
    EXPECT_TRUE(std::filesystem::is_empty(directory_)) << "and leaves nothing there";
    std::filesystem::remove_all(directory_);
    try_out();
    std::filesystem::create_directory(directory_);
    try_out();
    EXPECT_EQ(fails, (std::vector<bool>{false, true, false}));
}

// A reason that comes all the time hides no other.
TEST(RefusalLog, TellsEachReasonAtOnceAndThenSeldom) {
    boost::asio::io_context context;
    refusal_log log(context, "refused");
    testing::internal::CaptureStderr();
    for (int i = 0; i < 5; ++i) {
        log.add("404 (a)");
        log.add("413 (b)");
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "sotto: refused 1 request: 404 (a)\nsotto: refused 1 request: 413 (b)\n");
    testing::internal::CaptureStderr();
    log.stop();
    (void)context.run();
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "sotto: refused 4 requests: 404 (a)\nsotto: refused 4 requests: 413 (b)\n");
}

TEST_F(GroupCommit, WhatCanNotBeWrittenIsNotPromised) {
    std::filesystem::remove_all(directory_);
    add(framed(1));
    add(framed(2));
    add(framed(3));
    EXPECT_EQ(room_.bytes(), 3 * waiting_files::file_bytes_min);
    finish();
    EXPECT_EQ(failed_, 3u);
    EXPECT_EQ(room_.bytes(), 0u) << "and its room is free again";
}

TEST(Envelopes, EndWhereTheBytesEnd) {
    EXPECT_TRUE(ends_with_an_envelope(""));
    EXPECT_TRUE(ends_with_an_envelope(framed(3) + framed(100)));
    EXPECT_FALSE(ends_with_an_envelope(framed(3) + "\x04xxx"));
    EXPECT_FALSE(ends_with_an_envelope(framed(3) + '\0')) << "one of no bytes is none";
    EXPECT_FALSE(ends_with_an_envelope("\x80"));
    EXPECT_FALSE(ends_with_an_envelope("\xff\xff\xff\xff\x0fx"));
}

TEST(Admission, HoldsForEachAddressAndForAll) {
    admission places(4, 2, {});
    std::deque<admission::place> held;
    const auto next = [&](const char *client) {
        return held.emplace_back(places, make_address(client)).what();
    };
    EXPECT_EQ(next("192.0.2.1"), verdict::served);
    EXPECT_EQ(next("192.0.2.1"), verdict::served);
    for (int i = 0; i < 4; ++i) { // who is told takes nobody's place
        EXPECT_EQ(next("192.0.2.1"), verdict::one_too_many);
    }
    EXPECT_EQ(next("192.0.2.1"), verdict::dropped);
    EXPECT_EQ(next("192.0.2.2"), verdict::served);
    EXPECT_EQ(next("::ffff:192.0.2.1"), verdict::dropped) << "the same in other letters";
    EXPECT_EQ(next("192.0.2.2"), verdict::served);
    EXPECT_EQ(places.served(), 4u);
    held.clear();
    EXPECT_EQ(places.open(), 0u);
    EXPECT_EQ(next("192.0.2.1"), verdict::served);
}

TEST(Admission, TakesANetworkOfIpv6ForOneAddress) {
    admission places(64, 1, {});
    const admission::place first(places, make_address("2001:db8::1"));
    EXPECT_EQ(admission::place(places, make_address("2001:db8::2:1")).what(),
              verdict::one_too_many);
    EXPECT_EQ(admission::place(places, make_address("2001:db8:0:1::1")).what(), verdict::served);
}

TEST(Admission, LetsAProxyHaveAll) {
    admission places(3, 1, {make_address("192.0.2.9")});
    const admission::place first(places, make_address("192.0.2.9")),
        second(places, make_address("192.0.2.9")), other(places, make_address("192.0.2.1"));
    EXPECT_EQ(second.what(), verdict::served);
    EXPECT_EQ(admission::place(places, make_address("192.0.2.9")).what(), verdict::crowded);
}

} // namespace
} // namespace sotto::aggregator::test
