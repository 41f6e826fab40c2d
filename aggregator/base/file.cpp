// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/file.hpp"

#include "aggregator/base/failure.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sotto::aggregator {
namespace {

void check_regular(const std::string &path, mode_t mode) {
    if (!S_ISREG(mode)) {
        throw environment_error(path + ": no regular file");
    }
}

} // namespace

descriptor &descriptor::operator=(descriptor &&other) noexcept {
    close();
    number_ = other.release();
    return *this;
}

int descriptor::release() noexcept { return std::exchange(number_, -1); }

void descriptor::close() noexcept {
    if (number_ >= 0) {
        ::close(release());
    }
}

input_file::input_file(const std::string &path, chosen_by whom)
    : path_(path),
      file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC |
                                     (whom == chosen_by::anybody ? O_NOFOLLOW | O_NONBLOCK : 0))) {
    struct stat about = {};
    if (whom == chosen_by::anybody && errno == ELOOP && file_.get() < 0) {
        check_regular(path_, S_IFLNK);
    }
    if (file_.get() < 0 || fstat(file_.get(), &about) != 0) {
        fail_input(path_, errno);
    }
    if (S_ISDIR(about.st_mode)) {
        fail_input(path_, EISDIR);
    }
    if (S_ISREG(about.st_mode)) {
        size_bytes_ = static_cast<std::uint64_t>(about.st_size);
    }
    if (whom == chosen_by::anybody) {
        check_regular(path_, about.st_mode);
        left_bytes_ = size_bytes_;
    }
}

std::size_t input_file::read(std::span<char> bytes) {
    const std::size_t most = std::min<std::uint64_t>(bytes.size(), left_bytes_);
    for (;;) {
        const ssize_t got = ::read(file_.get(), bytes.data(), most);
        if (got >= 0) {
            left_bytes_ -= static_cast<std::uint64_t>(got);
            return static_cast<std::size_t>(got);
        }
        if (errno != EINTR) {
            fail_input(path_, errno);
        }
    }
}

std::string read_whole(const std::string &path, std::size_t limit_bytes) {
    if (std::error_code none; std::filesystem::is_directory(path, none)) {
        throw usage_error(path + ": Is a directory; one file is needed, not all in it");
    }
    input_file file(path);
    std::string text;
    char chunk[1 << 16];
    while (const std::size_t got = file.read(chunk)) {
        if (got > limit_bytes - text.size()) {
            throw usage_error(fmt::format("{}: larger than {} bytes", path, limit_bytes));
        }
        text.append(chunk, got);
    }
    return text;
}

mapped_file::mapped_file(const std::string &path) {
    const descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat about = {};
    if (file.get() < 0 || fstat(file.get(), &about) != 0) {
        throw environment_error(path, errno);
    }
    check_regular(path, about.st_mode);
    size_ = static_cast<std::size_t>(about.st_size);
    if (size_ == 0) {
        return;
    }
    void *data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data == MAP_FAILED) {
        throw environment_error(path, errno);
    }
    data_ = static_cast<const std::uint8_t *>(data);
}

mapped_file::mapped_file(mapped_file &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

void mapped_file::release(std::size_t begin, std::size_t end) const noexcept {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    begin = (begin + page - 1) / page * page;
    end = end / page * page;
    if (begin < end) {
        madvise(const_cast<std::uint8_t *>(data_) + begin, end - begin, MADV_DONTNEED);
    }
}

mapped_file::~mapped_file() {
    if (data_ != nullptr) {
        munmap(const_cast<std::uint8_t *>(data_), size_);
    }
}

} // namespace sotto::aggregator
