// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/spool.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

// Of a regular file, and 0 of what is none or gone. Not its length: a file of holes fills nothing.
std::uint64_t bytes_on_disk(const std::filesystem::path &path) {
    constexpr std::uint64_t block_bytes = 512; // of st_blocks, whatever the file system's are
    struct stat about = {};
    if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
        return 0;
    }
    return std::max(static_cast<std::uint64_t>(about.st_blocks) * block_bytes,
                    spool::file_bytes_min);
}

} // namespace

spool::spool(std::filesystem::path directory, std::uint64_t waiting_bytes_max)
    : directory_(std::move(directory)), waiting_bytes_max_(waiting_bytes_max) {
    make_directory(directory_);
    remove_abandoned(directory_);
    count();
}

bool spool::has_room_for(std::uint64_t bytes) {
    if (std::chrono::steady_clock::now() - counted_ > std::chrono::seconds(1)) {
        count();
    }
    bytes = std::max(bytes, file_bytes_min);
    return bytes <= waiting_bytes_max_ && waiting_bytes_ <= waiting_bytes_max_ - bytes;
}

void spool::add(std::string_view bytes) {
    atomic_file file(unnamed_in{directory_});
    file.write(bytes);
    // In order of arrival, not the name of another run, and nothing that somebody else put there.
    while (!file.commit_new_as(directory_ / fmt::format("{:020}-{}-{:08}.bin",
                                                        started_.time_since_epoch().count(),
                                                        getpid(), files_++))) {
    }
    waiting_bytes_ += std::max<std::uint64_t>(bytes.size(), file_bytes_min);
}

void spool::count() {
    std::uint64_t all_bytes = 0;
    std::error_code failed;
    for (std::filesystem::directory_iterator one(directory_, failed), end; !failed && one != end;
         one.increment(failed)) {
        if (has_final_name(one->path())) {
            all_bytes += bytes_on_disk(one->path());
        }
    }
    if (failed) {
        throw environment_error(directory_, failed.value());
    }
    waiting_bytes_ = all_bytes;
    counted_ = std::chrono::steady_clock::now();
}

} // namespace sotto::aggregator
