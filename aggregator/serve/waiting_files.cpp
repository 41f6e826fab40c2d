// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/waiting_files.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"

#include <optional>
#include <sys/stat.h>

namespace sotto::aggregator {
namespace {

// A regular file's; nothing of what is none or gone. Not its length: a file of holes fills nothing.
std::optional<std::uint64_t> bytes_on_disk(const std::filesystem::path &path) {
    constexpr std::uint64_t block_bytes = 512; // st_blocks counts these on any file system
    struct stat about = {};
    if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
        return std::nullopt;
    }
    return waiting_files::room(static_cast<std::uint64_t>(about.st_blocks) * block_bytes);
}

} // namespace

waiting_files::waiting_files(std::filesystem::path directory, std::uint64_t bytes_max)
    : directory_(std::move(directory)), bytes_max_(bytes_max) {
    count();
}

void waiting_files::look() {
    if (!is_written_to_ && is_due()) {
        count();
    }
}

bool waiting_files::has_room_for(std::uint64_t bytes) {
    look();
    return room(bytes) <= bytes_max_ && this->bytes() <= bytes_max_ - room(bytes);
}

void waiting_files::reserve(std::uint64_t bytes) { reserved_ += room(bytes); }

void waiting_files::written(std::uint64_t reserved, std::uint64_t files,
                            std::uint64_t stored) noexcept {
    is_written_to_ = false;
    reserved_ -= reserved;
    bytes_ += stored;
    files_ += files;
    try {
        look();
    } catch (const std::exception &) { // has_room_for() says so
    }
}

bool waiting_files::is_due() const {
    return std::chrono::steady_clock::now() - counted_ > std::chrono::seconds(1);
}

void waiting_files::count() {
    std::uint64_t all_bytes = 0, files = 0;
    std::error_code failed;
    for (std::filesystem::directory_iterator file(directory_, failed), end; !failed && file != end;
         file.increment(failed)) {
        if (!has_final_name(file->path())) {
            continue;
        }
        if (const auto bytes = bytes_on_disk(file->path())) {
            all_bytes += *bytes;
            ++files;
        }
    }
    if (failed) {
        throw environment_error(directory_, failed.value());
    }
    bytes_ = all_bytes;
    files_ = files;
    counted_ = std::chrono::steady_clock::now();
}

} // namespace sotto::aggregator
