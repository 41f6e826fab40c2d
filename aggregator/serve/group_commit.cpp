// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/group_commit.hpp"

#include <boost/asio/post.hpp>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace sotto::aggregator {
namespace {

// The worker has nobody to tell that there is no memory for a message: it waits until there is.
template <typename Handler> void post_surely(boost::asio::io_context &to, Handler handler) {
    for (;;) {
        try {
            boost::asio::post(to, handler);
            return;
        } catch (const std::bad_alloc &) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
}

} // namespace

void group_commit::add(std::string_view bytes, std::function<void(std::exception_ptr)> done) {
    gathering_.push_back({bytes, std::move(done)});
    room_.reserve(bytes.size());
    if (!busy_) {
        begin();
    }
}

void group_commit::begin() {
    written_.swap(gathering_);
    room_.being_written();
    busy_ = true;
    boost::asio::post(worker_, [this] {
        to_.store(written_);
        post_surely(answers_, [this] { finish(); });
    });
}

void group_commit::finish() {
    std::uint64_t reserved = 0, stored = 0;
    for (const spool::body &one : written_) {
        reserved += waiting_files::room(one.bytes.size());
        stored += one.failure ? 0 : one.bytes.size();
        ++(one.failure ? finished_.failed : finished_.bodies);
    }
    finished_.bytes += stored;
    finished_.syncs = to_.syncs();
    ++finished_.groups;
    room_.written(reserved, stored == 0 ? 0 : waiting_files::room(stored));
    for (const spool::body &one : std::exchange(written_, {})) {
        one.then(one.failure);
    }
    busy_ = false;
    if (!gathering_.empty()) {
        begin();
    }
}

} // namespace sotto::aggregator
