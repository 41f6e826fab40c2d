// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/unsynced_files.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

constexpr std::size_t few = 4;

} // namespace

unsynced_files::unsynced_files(const std::filesystem::path &within)
    : within_(within), file_system_(::open(within.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_system_.get() < 0) {
        throw environment_error(within_, errno);
    }
}

void unsynced_files::add(const std::filesystem::path &path, descriptor file) {
    add_content(path, std::move(file));
    add_directory(path.parent_path());
}

void unsynced_files::add_content(const std::filesystem::path &path, descriptor file) {
    files_.emplace_back(path, std::move(file));
    forget_many();
}

void unsynced_files::add_directory(const std::filesystem::path &path) {
    directories_.insert(path);
    forget_many();
}

void unsynced_files::forget_many() {
    are_many_ = are_many_ || files_.size() + directories_.size() > few;
    if (are_many_) {
        files_.clear(); // there may be more than a process can hold open
        directories_.clear();
    }
}

std::size_t unsynced_files::sync() {
    const std::size_t syncs = files_.size() + directories_.size() + (are_many_ ? 1 : 0);
    if (are_many_ && syncfs(file_system_.get()) != 0) {
        throw environment_error(within_, errno);
    }
    for (const auto &[path, file] : files_) {
        if (fsync(file.get()) != 0) {
            throw environment_error(path, errno);
        }
    }
    for (const std::filesystem::path &path : directories_) {
        sync_directory(path);
    }
    files_.clear();
    directories_.clear();
    are_many_ = false;
    return syncs;
}

} // namespace sotto::aggregator
