// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/incoming.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/printable.hpp"
#include "aggregator/report/envelope_file.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sotto::aggregator {
namespace {

namespace fs = std::filesystem;

// Of one look: the names fit in memory, and the page is not far behind.
constexpr std::size_t files_max = 10'000;

bool has_its_name(const fs::path &path) {
    const std::string name = path.filename().string();
    return !name.starts_with('.') && !name.ends_with(".tmp");
}

bool ends_with_an_envelope(const fs::path &path) {
    envelope_file file(path.string(), chosen_by::anybody);
    while (file.next()) {
    }
    return !file.truncated();
}

// At most so many bytes of a name, and no part of a UTF-8 character.
std::string shortened(const std::string &name, std::size_t bytes_max) {
    if (name.size() <= bytes_max) {
        return name;
    }
    while (bytes_max > 0 && (static_cast<unsigned char>(name[bytes_max]) & 0xc0U) == 0x80) {
        --bytes_max;
    }
    return name.substr(0, bytes_max);
}

} // namespace

std::vector<fs::path> incoming::look() {
    std::vector<fs::path> files;
    const std::map<fs::path, stamp> before = std::exchange(seen_, {});
    for (const fs::directory_entry &entry : fs::directory_iterator(directory_)) {
        const fs::path &file = entry.path();
        if (seen_.size() == files_max || !has_its_name(file)) {
            continue;
        }
        const std::optional<stamp> now = look_at(file);
        if (!now) {
            continue;
        }
        seen_.emplace(file, *now);
        if (const auto left = unmoved_.find(file);
            left != unmoved_.end() && left->second.as == *now) {
            continue;
        }
        const auto then = before.find(file);
        if (is_there(file, then != before.end() && then->second == *now)) {
            files.push_back(file);
        }
    }
    std::erase_if(complained_of_, [](const fs::path &file) { return !stamp_of(file); });
    move_again();
    std::sort(files.begin(), files.end());
    return files;
}

// A regular file that may be read.
std::optional<incoming::stamp> incoming::look_at(const fs::path &file) {
    struct stat about = {};
    if (::lstat(file.c_str(), &about) != 0 || S_ISDIR(about.st_mode)) {
        return std::nullopt; // gone: another program took it
    }
    if (!S_ISREG(about.st_mode)) {
        complain(file, file.string() + ": no regular file");
        return std::nullopt;
    }
    if (::access(file.c_str(), R_OK) != 0) {
        complain(file, file.string() + ": " + std::generic_category().message(errno));
        return std::nullopt;
    }
    return stamp_of(file);
}

// Whole, or as good as that since nobody writes to it. What failed before may fail again.
bool incoming::is_there(const fs::path &file, bool rests) {
    try {
        return (rests && !complained_of_.contains(file)) || ends_with_an_envelope(file) || rests;
    } catch (const usage_error &) {
        return false; // gone by now
    } catch (const failure &why) {
        complain(file, why.what());
        return false;
    }
}

std::optional<incoming::stamp> incoming::stamp_of(const fs::path &file) {
    struct stat about = {};
    if (::lstat(file.c_str(), &about) != 0) {
        return std::nullopt;
    }
    return stamp{about.st_ino, about.st_size, about.st_ctim.tv_sec, about.st_ctim.tv_nsec};
}

bool incoming::move(const fs::path &file, const fs::path &to) {
    const stamp &as = seen_.at(file);
    if (stamp_of(file) != as) {
        return false;
    }
    try {
        move_into(to, file);
        return true;
    } catch (const failure &why) {
        complain(file, fmt::format("{}: can't be moved: {}", file.string(), why.what()));
        unmoved_.insert_or_assign(file, unmoved_file{as, to});
        return false;
    }
}

void incoming::move_again() {
    for (const auto &[file, left] : std::exchange(unmoved_, {})) {
        if (const auto now = seen_.find(file); now != seen_.end() && now->second == left.as) {
            (void)move(file, left.to);
        }
    }
}

void incoming::complain(const fs::path &file, const std::string &line) {
    if (stamp_of(file) && complained_of_.insert(file).second) {
        fmt::print(stderr, "sotto: {}; left there\n", printable(line));
    }
}

descriptor own_directory(const fs::path &path) {
    make_directory(path);
    descriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (opened.get() < 0 && (errno == ELOOP || errno == ENOTDIR)) {
        throw environment_error(path.string() + ": a link; a directory must be there, or nothing");
    }
    if (opened.get() < 0) {
        throw environment_error(path, errno);
    }
    return opened;
}

void move_into(const fs::path &directory, const fs::path &file) {
    const descriptor to = own_directory(directory);
    const long limit = ::fpathconf(to.get(), _PC_NAME_MAX);
    const std::size_t name_bytes_max = limit > 0 ? static_cast<std::size_t>(limit) : NAME_MAX;
    const std::string name = file.filename().string();
    for (std::uint64_t copy = 0;; ++copy) {
        const std::string number = copy == 0 ? "" : fmt::format(".{}", copy);
        const int failed = rename_unless_taken(
            AT_FDCWD, file, to.get(), shortened(name, name_bytes_max - number.size()) + number);
        if (failed == 0) {
            return;
        }
        if (failed != EEXIST) {
            throw environment_error(directory, failed);
        }
    }
}

} // namespace sotto::aggregator
