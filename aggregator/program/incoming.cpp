// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/incoming.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/printable.hpp"
#include "aggregator/report/envelope_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

namespace fs = std::filesystem;

// Of one look: the names fit in memory, and the page is not far behind.
constexpr std::size_t files_max = 10'000;

bool has_its_name(const fs::directory_entry &entry) {
    const std::string name = entry.path().filename().string();
    return !name.starts_with('.') && !name.ends_with(".tmp");
}

bool ends_with_an_envelope(const fs::path &path) {
    envelope_file file(path.string());
    while (file.next()) {
    }
    return !file.truncated();
}

} // namespace

std::vector<fs::path> incoming::look() {
    std::vector<fs::path> files;
    std::map<fs::path, stamp> seen;
    for (const fs::directory_entry &entry : fs::directory_iterator(directory_)) {
        if (seen.size() == files_max || !has_its_name(entry) || !is_readable(entry)) {
            continue;
        }
        const fs::path &file = entry.path();
        const stamp now = seen.emplace(file, stamp_of(file)).first->second;
        const auto before = seen_.find(file);
        if ((before != seen_.end() && before->second == now) || ends_with_an_envelope(file)) {
            files.push_back(file);
        }
    }
    seen_ = std::move(seen);
    std::sort(files.begin(), files.end());
    return files;
}

bool incoming::rests(const fs::path &file) const { return seen_.at(file) == stamp_of(file); }

incoming::stamp incoming::stamp_of(const fs::path &file) {
    return {fs::file_size(file), fs::last_write_time(file)};
}

bool incoming::is_readable(const fs::directory_entry &entry) {
    std::error_code gone;
    if (entry.is_directory(gone)) {
        return false;
    }
    if (::access(entry.path().c_str(), R_OK) != 0) {
        // A name that is gone was taken by another program, unless it is a link to nowhere.
        if (const int why = errno; why != ENOENT || entry.is_symlink(gone)) {
            complain(entry.path(), std::generic_category().message(why));
        }
        return false;
    }
    if (!entry.is_regular_file(gone)) {
        complain(entry.path(), "no regular file");
        return false;
    }
    return true;
}

void incoming::complain(const fs::path &file, const std::string &why) {
    if (complained_of_.insert(file).second) {
        fmt::print(stderr, "sotto: {}: {}; left there\n", printable(file.string()), why);
    }
}

void move_into(const fs::path &directory, const fs::path &file) {
    const std::string name = file.filename().string();
    for (std::uint64_t copy = 0;; ++copy) {
        const fs::path to = directory / (copy == 0 ? name : fmt::format("{}.{}", name, copy));
        const int failed = rename_unless_taken(AT_FDCWD, file, AT_FDCWD, to);
        if (failed == 0) {
            return;
        }
        if (failed != EEXIST) {
            throw environment_error(to, failed);
        }
    }
}

} // namespace sotto::aggregator
