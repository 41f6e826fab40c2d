// SPDX-License-Identifier: Apache-2.0
// Sealed envelopes are opened on all cores, and everything is counted as if by one.
#include "aggregator/base/parallel.hpp"
#include "aggregator/store/ingest.hpp"
#include "support.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <set>

namespace sotto::aggregator::test {
namespace {

std::string sealed() {
    wire_envelope e;
    e.key_id = 1;
    e.enc = std::string(32, 'e');
    e.ciphertext = "ciphertext";
    return delimited(e.bytes());
}

std::string plain(const std::string &release) {
    wire_report r;
    r.release = release;
    return file_of(r);
}

TEST(Openers, OpenOnAllCoresAndKeepCount) {
    const temporary_directory directory;
    std::string bytes;
    for (int i = 0; i < 9000; ++i) {
        bytes += i % 3 == 0 ? plain(std::to_string(10'000'000 + i)) : sealed();
    }
    store target = store::to_write(directory / "store");
    target.keep({parse_registry(registry_text(), "M.json"), registry_text()});
    ingest run(target);
    std::mutex guard;
    std::condition_variable other;
    std::set<std::thread::id> threads;
    std::size_t made = 0, opened = 0;
    run.open_with([&]() -> envelope_opener {
        ++made;
        return [&](const envelope &) -> std::variant<std::string, reason> {
            std::unique_lock lock(guard);
            threads.insert(std::this_thread::get_id());
            other.notify_all();
            // The first waits for a second to come, which must not need the first to be done.
            other.wait_for(lock, std::chrono::seconds(5), [&] {
                return threads.size() >= std::min<std::size_t>(2, core_count());
            });
            if (++opened % 2 == 0) {
                return reason::malformed;
            }
            wire_report r;
            r.release = "s" + std::to_string(1'000'000 + opened);
            return wire_batch{}.bytes(r);
        };
    });
    envelope_file file(directory.file("in.bin", bytes));
    std::size_t shown = 0;
    const file_result result = run.add(file, [&] { ++shown; });
    run.finish();
    EXPECT_EQ(made, core_count());
    EXPECT_EQ(opened, 6000u);
    EXPECT_EQ(result.envelopes, 9000u);
    EXPECT_EQ(shown, 9000u);
    EXPECT_EQ(run.reports(), 6000u);
    EXPECT_EQ(result.rejected.count(reason::malformed), 3000u);
    EXPECT_EQ(result.rejected.total(), 3000u);
    EXPECT_GE(threads.size(), std::min<std::size_t>(2, core_count()));
}

TEST(Openers, WhatOneThrowsIsThrownOn) {
    std::vector<int> workers(4);
    EXPECT_THROW(for_each_in_parallel(workers, 1000,
                                      [](int, std::size_t i) {
                                          if (i == 700) {
                                              throw std::runtime_error("no");
                                          }
                                      }),
                 std::runtime_error);
    std::vector<std::atomic<int>> seen(1000);
    for_each_in_parallel(workers, seen.size(), [&](int, std::size_t i) { ++seen[i]; });
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](const auto &n) { return n == 1; }));
}

} // namespace
} // namespace sotto::aggregator::test
