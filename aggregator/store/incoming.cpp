// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/incoming.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/log.hpp"
#include "aggregator/report/envelope_file.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace sotto::aggregator {
namespace {

namespace fs = std::filesystem;

// At one look: the names fit in memory, and the page is not far behind.
constexpr std::size_t files_max = 10'000;
// Files still being written: far fewer than this.
constexpr std::size_t seen_max = 10 * files_max;

bool ends_with_an_envelope(const fs::path &path, const std::function<bool()> &stops) {
    envelope_file file(path.string(), chosen_by::anybody);
    for (std::uint64_t read_bytes = 0; file.next(); read_bytes = file.read_bytes()) {
        if (file.read_bytes() != read_bytes && stops()) {
            return false;
        }
    }
    return !file.truncated();
}

std::optional<file_stamp> stamp_in(int directory, const fs::path &file) {
    struct stat s = {};
    if (::fstatat(directory, file.c_str(), &s, AT_SYMLINK_NOFOLLOW) != 0) {
        return std::nullopt;
    }
    return file_stamp{s.st_ino,          s.st_size,        s.st_mtim.tv_sec,
                      s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec};
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

struct place {
    int directory;
    fs::path path; // a file in it; or the directory itself, for messages
};

// Under this name, or where that is taken under it and a number. Answers which.
std::string rename_to_free(const place &from, const place &target, const std::string &name) {
    const long limit = ::fpathconf(target.directory, _PC_NAME_MAX);
    const std::size_t name_bytes_max = limit > 0 ? static_cast<std::size_t>(limit) : NAME_MAX;
    for (std::uint64_t copy = 0;; ++copy) {
        const std::string number = copy == 0 ? "" : fmt::format(".{}", copy);
        std::string free = shortened(name, name_bytes_max - number.size()) + number;
        const int failed = rename_unless_taken(from.directory, from.path, target.directory, free);
        if (failed == 0) {
            return free;
        }
        if (failed != EEXIST) {
            throw environment_error(target.path, failed);
        }
    }
}

} // namespace

std::vector<fs::path> incoming::look() {
    std::vector<fs::path> files;
    const std::map<fs::path, file_stamp> before = std::exchange(seen_, {});
    for (const fs::directory_entry &entry : fs::directory_iterator(directory_)) {
        if (stops_()) {
            return {};
        }
        if (files.size() == files_max) {
            break;
        }
        const fs::path &file = entry.path();
        const std::optional<file_stamp> now = has_final_name(file) ? look_at(file) : std::nullopt;
        if (!now) {
            continue;
        }
        if (const auto left = unmoved_.find(file);
            left != unmoved_.end() && left->second.as == *now) {
            continue;
        }
        const auto then = before.find(file);
        const bool taken = is_there(file, then != before.end() && then->second == *now);
        if (taken) {
            files.push_back(file);
        }
        if (taken || seen_.size() < seen_max) {
            seen_.emplace(file, *now);
        }
    }
    std::erase_if(complained_of_, [](const fs::path &file) { return !stamp_of(file); });
    move_again();
    std::sort(files.begin(), files.end());
    return files;
}

// A regular file that may be read.
std::optional<file_stamp> incoming::look_at(const fs::path &file) {
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

// A file is there when it is whole, or rests: then nobody writes to it. A complaint may be out of
// date, so its file is read again.
bool incoming::is_there(const fs::path &file, bool rests) {
    try {
        return (rests && !complained_of_.contains(file)) || ends_with_an_envelope(file, stops_) ||
               rests;
    } catch (const usage_error &) {
        return false; // gone by now
    } catch (const failure &why) {
        complain(file, why.what());
        return false;
    }
}

bool incoming::move(const fs::path &file, const fs::path &target) {
    return move_one(file, {seen_.at(file), target});
}

bool incoming::move_one(const fs::path &file, const unmoved_file &left) {
    try {
        return stamp_of(file) == left.as && move_into(left.target, file, left.as);
    } catch (const failure &why) {
        complain(file, fmt::format("{}: can't be moved: {}", file.string(), why.what()));
        unmoved_.insert_or_assign(file, left);
        return false;
    }
}

void incoming::move_again() {
    for (const auto &[file, left] : std::exchange(unmoved_, {})) {
        (void)move_one(file, left);
    }
}

void incoming::complain(const fs::path &file, const std::string &line) {
    if (stamp_of(file) && complained_of_.insert(file).second) {
        log_line(line + "; left there");
    }
}

std::optional<file_stamp> stamp_of(const fs::path &file) { return stamp_in(AT_FDCWD, file); }

bool file_stamp::is_same_file(const file_stamp &now) const {
    return std::tie(number, bytes, modified_seconds, modified_nanoseconds) ==
           std::tie(now.number, now.bytes, now.modified_seconds, now.modified_nanoseconds);
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

bool move_into(const fs::path &directory, const fs::path &file, const file_stamp &as) {
    const descriptor target = own_directory(directory);
    const std::string name = file.filename().string();
    const std::string moved = rename_to_free({AT_FDCWD, file}, {target.get(), directory}, name);
    const std::optional<file_stamp> now = stamp_in(target.get(), moved);
    if (!now || as.is_same_file(*now)) {
        return true;
    }
    const fs::path from = file.parent_path();
    const descriptor back(::open(from.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (back.get() < 0) {
        throw environment_error(from, errno);
    }
    (void)rename_to_free({target.get(), moved}, {back.get(), from}, name);
    return false;
}

} // namespace sotto::aggregator
