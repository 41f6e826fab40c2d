// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_FILE_HPP
#define SOTTO_AGGREGATOR_BASE_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sotto::aggregator {

// Owns a file descriptor; -1 is none.
class descriptor {
  public:
    explicit descriptor(int number = -1) noexcept : number_(number) {}
    descriptor(descriptor &&other) noexcept : number_(other.release()) {}
    descriptor &operator=(descriptor &&other) noexcept;
    ~descriptor() { close(); }

    int get() const noexcept { return number_; }
    // Gives it away: somebody else closes it.
    int release() noexcept;
    void close() noexcept;

  private:
    int number_;
};

// Who chose a file's path. A file that anybody may have put there must be regular, or it is an
// error. No link is followed and no pipe waited for; no more is read than there was at the
// beginning.
enum class chosen_by { user, anybody };

// A file, read in order. Errors: see fail_input.
class input_file {
  public:
    explicit input_file(const std::string &path, chosen_by whom = chosen_by::user);

    // Reads up to bytes.size() bytes and returns how many; 0 only at the end.
    std::size_t read(std::span<char> bytes);
    const std::string &path() const noexcept { return path_; }
    // 0 when it has no size, as a pipe.
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

  private:
    std::string path_;
    descriptor file_;
    std::uint64_t size_bytes_ = 0;
    std::uint64_t left_bytes_ = UINT64_MAX; // to be read at most
};

// The whole of a file of at most limit_bytes. Errors: see fail_input; usage_error when it is
// larger.
std::string read_whole(const std::string &path, std::size_t limit_bytes);

// A regular file in memory, read-only. It must not shrink meanwhile. Errors: environment_error.
class mapped_file {
  public:
    explicit mapped_file(const std::string &path);
    mapped_file(mapped_file &&other) noexcept;
    mapped_file &operator=(mapped_file &&) = delete;
    ~mapped_file();

    std::span<const std::uint8_t> bytes() const noexcept { return {data_, size_}; }
    // Gives the memory of these bytes back; they are read again when they are needed again.
    void release(std::size_t begin, std::size_t end) const noexcept;

  private:
    const std::uint8_t *data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace sotto::aggregator
#endif
