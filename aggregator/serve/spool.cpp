// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/spool.hpp"

#include "aggregator/serve/waiting_files.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace sotto::aggregator {

spool::spool(std::filesystem::path directory) : directory_(std::move(directory)) {
    make_directory(directory_);
    remove_abandoned(directory_);
}

void spool::store(std::span<body> bodies) noexcept {
    std::sort(bodies.begin(), bodies.end(),
              [](const body &a, const body &b) { return a.kind < b.kind; });
    store_or_halve(bodies);
}

// Where there is room for a few, the others do not fail them.
void spool::store_or_halve(std::span<body> bodies) noexcept {
    try {
        write_files(bodies);
    } catch (...) {
        if (bodies.size() == 1) {
            bodies.front().failure = std::current_exception();
            return;
        }
        const std::size_t half = bodies.size() / 2;
        store_or_halve(bodies.first(half));
        store_or_halve(bodies.subspan(half));
    }
}

// However many files there are: contents are synced together, then names.
void spool::write_files(std::span<const body> bodies) {
    unsynced_files contents(directory_), names(directory_);
    std::deque<atomic_file> files;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (i == 0 || !bodies[i].kind || bodies[i].kind != bodies[i - 1].kind) {
            if (i > 0) {
                files.back().sync_with(contents);
            }
            files.emplace_back(unnamed_in{directory_});
        }
        files.back().write(bodies[i].bytes);
    }
    files.back().sync_with(contents);
    stored_.syncs += contents.sync();
    for (atomic_file &file : files) {
        name(file, names);
    }
    stored_.syncs += names.sync();
    for (const atomic_file &file : files) {
        stored_.room_bytes += waiting_files::room(file.written_bytes());
    }
    stored_.files += files.size();
}

// In order of arrival, not the name of another run, and nothing that somebody else put there.
void spool::name(atomic_file &file, unsynced_files &with) {
    while (!file.commit_new_as(directory_ / fmt::format("{:020}-{}-{:08}.bin",
                                                        started_.time_since_epoch().count(),
                                                        getpid(), names_++),
                               with)) {
    }
}

void spool::try_out() const {
    unsynced_files contents(directory_);
    atomic_file file(unnamed_in{directory_});
    file.write(std::string(waiting_files::file_bytes_min, '\0'));
    file.sync_with(contents);
    (void)contents.sync();
}

} // namespace sotto::aggregator
