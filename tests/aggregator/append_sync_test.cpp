// SPDX-License-Identifier: Apache-2.0
// How often adding to a store waits for the disk: counted, however many metrics there are.
#include "aggregator/store/append.hpp"
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<int> syncs = 0;

long counted_call(long number, int file) {
    ++syncs;
    return syscall(number, file);
}

} // namespace

// In place of the C library's, for SQLite too.
extern "C" int fsync(int file) { return static_cast<int>(counted_call(SYS_fsync, file)); }
extern "C" int fdatasync(int file) { return static_cast<int>(counted_call(SYS_fdatasync, file)); }
extern "C" int syncfs(int file) noexcept {
    return static_cast<int>(counted_call(SYS_syncfs, file));
}

namespace sotto::aggregator::test {
namespace {

class AppendSync : public testing::Test {
  protected:
    // So many metrics with rows of their own.
    void add(std::size_t metrics, std::uint32_t number) {
        while (metrics_.size() < metrics) {
            metrics_.push_back(smoke_);
            metrics_.back().fingerprint += static_cast<std::uint32_t>(metrics_.size());
        }
        std::vector<row_list> lists;
        for (const metric &m : metrics_) {
            report r;
            const std::string release = std::to_string(10'000'000 + number);
            std::copy_n(release.begin(), r.release.size(), r.release.begin());
            r.epoch = 5;
            r.value = std::uint32_t{1};
            lists.push_back(rows_of(m, {row_of(m, r)}));
        }
        std::vector<new_rows> batch;
        for (std::size_t i = 0; i < metrics; ++i) {
            batch.push_back({&metrics_[i], &lists[i]});
        }
        for (const append_result &result : append(store_, batch)) {
            EXPECT_EQ(result.added, 1u);
        }
    }

    int syncs_of(std::size_t metrics, std::uint32_t number) {
        const int before = syncs;
        add(metrics, number);
        return syncs - before;
    }

    const registry fleet_ = parse_registry(registry_text(), "M.json");
    const metric &smoke_ = *fleet_.find("smoke");
    temporary_directory directory_;
    store store_ = store::to_write(directory_ / "store");
    std::vector<metric> metrics_;
};

TEST_F(AppendSync, IsTheSameForAnyNumberOfMetrics) {
    const int some = syncs_of(8, 0), many = syncs_of(200, 1);
    EXPECT_GE(some, 2); // files, then the ledger
    EXPECT_LE(some, 4);
    EXPECT_LE(many, some);
    // Eight segments of a size become one, of all metrics together.
    for (std::uint32_t i = 2; i < 8; ++i) {
        add(200, i);
    }
    EXPECT_LE(syncs_of(200, 8), 20); // SQLite takes up its log besides; one by one: 600
    for (const metric &m : metrics_) {
        EXPECT_LT(store_.segments(m).size(), 8u);
    }
    EXPECT_EQ(store_.book().epochs(metrics_.front().fingerprint).front().rows, 9u);
}

// A few are synced one by one: nobody else's files have to wait.
TEST_F(AppendSync, IsOfTheFilesAloneWhereTheyAreFew) {
    EXPECT_GE(syncs_of(1, 0), 3); // file, directory, ledger
}

} // namespace
} // namespace sotto::aggregator::test
