// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_WAITING_FILES_HPP
#define SOTTO_AGGREGATOR_SERVE_WAITING_FILES_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>

namespace sotto::aggregator {

// The size of the files that wait in a directory, and whether more may come. For one thread.
class waiting_files {
  public:
    // However small, a file takes an inode and a block: or files of a byte would fill the disk
    // first.
    static constexpr std::uint64_t file_bytes_min = 4096;

    // Errors: environment_error, as of every count.
    waiting_files(std::filesystem::path directory, std::uint64_t bytes_max);

    // Whether so much may be added to the waiting files. A file counts with its size on the disk,
    // and as file_bytes_min at least. Files that are taken out are noticed within a second, or with
    // the next written(). Errors: environment_error when the directory can't be read.
    bool has_room_for(std::uint64_t bytes);
    // Room for a body that is to be written.
    void reserve(std::uint64_t bytes);
    // From now on reserved bodies may be in the directory, so it is not counted until written(). By
    // then the bodies that `reserved` bytes were kept for are files that take `stored` bytes.
    void being_written() noexcept { is_written_to_ = true; }
    void written(std::uint64_t reserved, std::uint64_t files, std::uint64_t stored) noexcept;
    // Counts, where the last count is older than a second. Errors: as of has_room_for().
    void look();
    static std::uint64_t room(std::uint64_t bytes) { return std::max(bytes, file_bytes_min); }

    std::uint64_t bytes() const noexcept { return bytes_ + reserved_; } // with what is reserved
    std::uint64_t file_bytes() const noexcept { return bytes_; }
    std::uint64_t bytes_max() const noexcept { return bytes_max_; }
    std::uint64_t files() const noexcept { return files_; }

  private:
    void count();
    bool is_due() const;

    std::filesystem::path directory_;
    std::uint64_t bytes_max_, bytes_ = 0, reserved_ = 0, files_ = 0;
    std::chrono::steady_clock::time_point counted_;
    bool is_written_to_ = false;
};

} // namespace sotto::aggregator
#endif
