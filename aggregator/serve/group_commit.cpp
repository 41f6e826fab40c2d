// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/group_commit.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <map>
#include <new>
#include <set>
#include <thread>
#include <utility>

namespace sotto::aggregator {
namespace {

// The worker has nobody to tell that there is no memory for a message: it waits until there is.
template <typename Handler> void post_surely(boost::asio::io_context &loop, Handler handler) {
    for (;;) {
        try {
            boost::asio::post(loop, handler);
            return;
        } catch (const std::bad_alloc &) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
}

// The kinds that most bodies are of.
std::set<body_kind> largest_kinds(const std::vector<spool::body> &bodies_waiting,
                                  std::size_t count_max) {
    std::map<body_kind, std::size_t> bodies;
    for (const spool::body &body : bodies_waiting) {
        bodies[body.kind] += body.kind ? 1 : 0;
    }
    bodies.erase(std::nullopt);
    std::vector<std::pair<std::size_t, body_kind>> by_size;
    for (const auto &[kind, count] : bodies) {
        by_size.emplace_back(count, kind);
    }
    std::sort(by_size.rbegin(), by_size.rend());
    std::set<body_kind> largest;
    for (std::size_t i = 0; i < std::min(count_max, by_size.size()); ++i) {
        largest.insert(by_size[i].second);
    }
    return largest;
}

// Takes the bodies of the largest files, and of what came first: none waits for ever.
std::vector<spool::body> taken_of_few_files(std::vector<spool::body> &from) {
    constexpr std::size_t files_max = 8;
    std::set<body_kind> kinds = largest_kinds(from, files_max - 1);
    std::size_t files = kinds.size();
    std::vector<spool::body> taken, left;
    for (spool::body &body : from) {
        const bool shares = kinds.contains(body.kind), goes = shares || files < files_max;
        if (goes && !shares) {
            ++files;
            if (body.kind) {
                kinds.insert(body.kind);
            }
        }
        (goes ? taken : left).push_back(std::move(body));
    }
    from = std::move(left);
    return taken;
}

} // namespace

void group_commit::add(std::string_view bytes, std::function<void(std::exception_ptr)> done) {
    gathering_.push_back({bytes, kind_of(bytes), std::move(done)});
    room_.reserve(bytes.size());
    if (!busy_) {
        begin();
    }
}

void group_commit::try_out(std::function<void(std::exception_ptr)> done) {
    boost::asio::post(worker_, [this, done = std::move(done)] {
        std::exception_ptr failure;
        try {
            spool_.try_out();
        } catch (...) {
            failure = std::current_exception();
        }
        post_surely(answers_, [done, failure] { done(failure); });
    });
}

void group_commit::begin() {
    written_ = taken_of_few_files(gathering_);
    room_.being_written();
    busy_ = true;
    boost::asio::post(worker_, [this] {
        spool_.store(written_);
        post_surely(answers_, [this] { finish(); });
    });
}

void group_commit::finish() {
    std::uint64_t reserved = 0;
    for (const spool::body &body : written_) {
        reserved += waiting_files::room(body.bytes.size());
        finished_.bytes += body.failure ? 0 : body.bytes.size();
        ++(body.failure ? finished_.failed : finished_.bodies);
    }
    const spool::totals before = std::exchange(stored_, spool_.stored());
    finished_.syncs = stored_.syncs;
    ++finished_.groups;
    room_.written(reserved, stored_.files - before.files, stored_.room_bytes - before.room_bytes);
    for (const spool::body &body : std::exchange(written_, {})) {
        body.then(body.failure);
    }
    busy_ = false;
    if (!gathering_.empty()) {
        begin();
    }
}

} // namespace sotto::aggregator
