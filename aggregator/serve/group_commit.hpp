// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_GROUP_COMMIT_HPP
#define SOTTO_AGGREGATOR_SERVE_GROUP_COMMIT_HPP

#include "aggregator/serve/spool.hpp"
#include "aggregator/serve/waiting_files.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <vector>

namespace sotto::aggregator {

// Bodies on their way to the disk. While a thread of its own writes and syncs some, the next ones
// gather and share the next sync. Few files go at a time, the largest first: a sender of bodies
// that share no file makes those wait, not the others. All else runs in the thread of `answers`.
class group_commit {
  public:
    // All three must outlive it.
    group_commit(boost::asio::io_context &answers, spool &target, waiting_files &room)
        : answers_(answers), spool_(target), room_(room) {}
    group_commit(const group_commit &) = delete;
    group_commit &operator=(const group_commit &) = delete;
    ~group_commit() { worker_.join(); }

    // Calls `done` in the thread of `answers` with nothing, once the body is durable, or with what
    // failed. The bytes must stay until then; there was room for them.
    void add(std::string_view bytes, std::function<void(std::exception_ptr)> done);

    // Tells `done`, as add() does, whether anything can be stored now.
    void try_out(std::function<void(std::exception_ptr)> done);

    // Counts of all that is finished.
    struct totals {
        std::uint64_t bodies = 0, bytes = 0, failed = 0, groups = 0, syncs = 0;
    };
    const totals &finished() const noexcept { return finished_; }

  private:
    void begin();
    void finish();

    boost::asio::io_context &answers_;
    spool &spool_;
    waiting_files &room_;
    std::vector<spool::body> gathering_, written_;
    totals finished_;
    spool::totals stored_; // the groups before the one that is written
    bool busy_ = false;    // `written_` is the worker's
    boost::asio::thread_pool worker_{1};
};

} // namespace sotto::aggregator
#endif
