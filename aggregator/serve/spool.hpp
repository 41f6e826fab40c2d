// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_SPOOL_HPP
#define SOTTO_AGGREGATOR_SERVE_SPOOL_HPP

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace sotto::aggregator {

// A directory of report files that wait to be ingested. Names are its own; nothing that was
// received is part of one. Of one thread.
class spool {
  public:
    // However small, a file takes an inode and a block: or files of a byte would fill the disk
    // first.
    static constexpr std::uint64_t file_bytes_min = 4096;

    // Removes what an earlier run was killed over. Errors: environment_error.
    spool(std::filesystem::path directory, std::uint64_t waiting_bytes_max);

    // Whether so much may be added to what waits; a file counts as what it takes on the disk, and
    // as file_bytes_min at least. Whoever takes files out is noticed within a second. Errors:
    // environment_error when the directory can't be read.
    bool has_room_for(std::uint64_t bytes);
    // A file that is whole and durable when this returns. Errors: environment_error.
    void add(std::string_view bytes);

  private:
    void count();

    std::filesystem::path directory_;
    std::uint64_t waiting_bytes_max_, waiting_bytes_ = 0, files_ = 0;
    std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
    std::chrono::steady_clock::time_point counted_;
};

} // namespace sotto::aggregator
#endif
