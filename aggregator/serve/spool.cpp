// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/spool.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

// However small, a file takes an inode and a block: or files of a byte would fill the disk first.
constexpr std::uint64_t file_bytes_min = 4096;

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
    std::error_code failed, gone;
    for (std::filesystem::directory_iterator one(directory_, failed), end; !failed && one != end;
         one.increment(failed)) {
        if (one->is_regular_file(gone)) {
            const std::uintmax_t bytes = one->file_size(gone);
            all_bytes += gone ? 0 : std::max<std::uint64_t>(bytes, file_bytes_min);
        }
    }
    if (failed) {
        throw environment_error(directory_, failed.value());
    }
    waiting_bytes_ = all_bytes;
    counted_ = std::chrono::steady_clock::now();
}

} // namespace sotto::aggregator
