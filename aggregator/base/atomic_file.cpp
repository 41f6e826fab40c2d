// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"

#include "aggregator/base/failure.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace sotto::aggregator {
namespace {

constexpr std::size_t buffer_bytes = 1 << 16;

std::filesystem::path directory_of(const std::filesystem::path &path) {
    return path.has_parent_path() ? path.parent_path() : ".";
}

} // namespace

bool has_final_name(const std::filesystem::path &path) {
    const std::string name = path.filename().string();
    return !name.starts_with('.') && !name.ends_with(".tmp");
}

void sync_directory(const std::filesystem::path &directory) {
    const descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems have no fsync for directories and say EINVAL.
    if (opened.get() < 0 || (fsync(opened.get()) != 0 && errno != EINVAL)) {
        throw environment_error(directory, errno);
    }
}

atomic_file::atomic_file(const std::filesystem::path &path) : path_(path) {
    struct stat about = {};
    if (::stat(path_.c_str(), &about) == 0) {
        if (!S_ISREG(about.st_mode)) {
            file_ = descriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
            if (file_.get() < 0) {
                fail(errno);
            }
            return;
        }
        path_ = std::filesystem::canonical(path_); // a link stays, its file is replaced
    }
    create_temporary(directory_of(path_));
}

atomic_file::atomic_file(unnamed_in where) : path_(where.directory) { // until it has a name
    create_temporary(where.directory);
}

void atomic_file::create_temporary(const std::filesystem::path &directory) {
    static std::atomic<unsigned> next = 0; // a process has many at a time
    while (file_.get() < 0) {
        temporary_ = directory / fmt::format("{}{}-{}", temporary_prefix, getpid(), next++);
        file_ =
            descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (file_.get() < 0 && errno != EEXIST) {
            temporary_.clear();
            fail(errno);
        }
    }
}

atomic_file::~atomic_file() {
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

void atomic_file::write(std::string_view bytes) {
    written_bytes_ += bytes.size();
    if (buffer_.size() + bytes.size() < buffer_bytes) {
        buffer_ += bytes;
        return;
    }
    drain();
    write_now(bytes);
}

void atomic_file::commit() {
    drain();
    if (temporary_.empty()) {
        return;
    }
    finish();
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
        fail(errno);
    }
    temporary_.clear();
    sync_directory(directory_of(path_));
}

bool atomic_file::commit_new_as(const std::filesystem::path &path) {
    if (file_.get() >= 0) { // the first name
        drain();
        finish();
    }
    if (!take_name(path)) {
        return false;
    }
    sync_directory(directory_of(path_));
    return true;
}

void atomic_file::sync_with(unsynced_files &others) {
    drain();
    others.add_content(temporary_, std::move(file_));
}

bool atomic_file::commit_new_as(const std::filesystem::path &path, unsynced_files &with) {
    drain();
    if (!take_name(path)) {
        return false;
    }
    if (file_.get() < 0) {
        with.add_directory(path_.parent_path());
    } else {
        with.add(path_, std::move(file_));
    }
    return true;
}

bool atomic_file::take_name(const std::filesystem::path &path) {
    path_ = path;
    if (const int failed = rename_unless_taken(AT_FDCWD, temporary_, AT_FDCWD, path_)) {
        if (failed != EEXIST) {
            fail(failed);
        }
        return false;
    }
    temporary_.clear();
    return true;
}

void atomic_file::finish() {
    if (fsync(file_.get()) != 0 || ::close(file_.release()) != 0) {
        fail(errno);
    }
}

void atomic_file::drain() {
    write_now(buffer_);
    buffer_.clear();
}

void atomic_file::write_now(std::string_view rest) {
    while (!rest.empty()) {
        const ssize_t done = ::write(file_.get(), rest.data(), rest.size());
        if (done < 0 && errno != EINTR) {
            fail(errno);
        }
        rest.remove_prefix(done > 0 ? static_cast<std::size_t>(done) : 0);
    }
}

void atomic_file::fail(int error_number) const { throw environment_error(path_, error_number); }

int rename_unless_taken(int from_directory, const std::filesystem::path &from, int to_directory,
                        const std::filesystem::path &target) noexcept {
    if (renameat2(from_directory, from.c_str(), to_directory, target.c_str(), RENAME_NOREPLACE) ==
        0) {
        return 0;
    }
    // NFS, for one, knows no such flag.
    const bool renamed =
        (errno == EINVAL || errno == ENOSYS) &&
        linkat(from_directory, from.c_str(), to_directory, target.c_str(), 0) == 0 &&
        unlinkat(from_directory, from.c_str(), 0) == 0;
    return renamed ? 0 : errno;
}

void write_atomically(const std::filesystem::path &path, std::string_view bytes) {
    atomic_file file(path);
    file.write(bytes);
    file.commit();
}

void check_is_no_input(const std::string &out, const std::vector<std::string> &inputs) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(out, none)) {
        return; // nothing to lose, or a terminal, which is both
    }
    const std::filesystem::path file = std::filesystem::weakly_canonical(out, none);
    for (const std::string &input : inputs) {
        if (std::filesystem::equivalent(out, input, none) ||
            (file.extension() == ".key" &&
             std::filesystem::equivalent(file.parent_path(), input, none))) {
            throw usage_error(fmt::format("--out: {} is read here, and would be lost; it must be "
                                          "another file",
                                          out));
        }
    }
}

void remove_abandoned(const std::filesystem::path &directory) {
    std::vector<std::filesystem::path> abandoned;
    for (const auto &entry : std::filesystem::directory_iterator(directory)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(temporary_prefix) ||
            entry.symlink_status().type() == std::filesystem::file_type::directory) {
            continue;
        }
        const char *begin = name.data() + temporary_prefix.size(), *end = name.data() + name.size();
        pid_t writer = 0;
        const auto [rest, error] = std::from_chars(begin, end, writer);
        const bool is_named = error == std::errc() && rest != end && *rest == '-' && writer > 0;
        if (is_named && (writer == getpid() || (::kill(writer, 0) != 0 && errno == ESRCH))) {
            abandoned.push_back(entry.path());
        }
    }
    for (const std::filesystem::path &path : abandoned) {
        if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
            throw environment_error(path, errno);
        }
    }
}

void make_directory(const std::filesystem::path &path) {
    if (path.has_parent_path() && !std::filesystem::exists(path.parent_path())) {
        make_directory(path.parent_path());
    }
    if (::mkdir(path.c_str(), 0777) == 0) {
        sync_directory(directory_of(path));
    } else if (struct stat about = {}; errno != EEXIST) {
        throw environment_error(path, errno);
    } else if (::stat(path.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
        throw environment_error(path, ENOTDIR);
    }
}

} // namespace sotto::aggregator
