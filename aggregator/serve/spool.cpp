// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/spool.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/report/envelope_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace sotto::aggregator {

spool::spool(std::filesystem::path directory) : directory_(std::move(directory)) {
    make_directory(directory_);
    remove_abandoned(directory_);
}

void spool::store(std::span<body> bodies) noexcept {
    const auto whole = [](const body &one) { return ends_with_an_envelope(one.bytes); };
    auto broken = std::partition(bodies.begin(), bodies.end(), whole);
    for (auto first = bodies.begin(); first != bodies.end();) {
        const auto end = broken == bodies.end() ? broken : ++broken;
        store_or_halve({first, end});
        first = end;
    }
}

// Where there is room for a few, the others do not fail them.
void spool::store_or_halve(std::span<body> bodies) noexcept {
    try {
        write_file(bodies);
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

void spool::write_file(std::span<const body> bodies) {
    atomic_file file(unnamed_in{directory_});
    for (const body &one : bodies) {
        file.write(one.bytes);
    }
    syncs_ += 2; // the file, its name
    // In order of arrival, not the name of another run, and nothing that somebody else put there.
    while (!file.commit_new_as(directory_ / fmt::format("{:020}-{}-{:08}.bin",
                                                        started_.time_since_epoch().count(),
                                                        getpid(), files_++))) {
    }
}

} // namespace sotto::aggregator
