// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/file.hpp"

#include "aggregator/base/failure.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sotto::aggregator {

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

input_file::input_file(const std::string &path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat about = {};
    if (file_.get() < 0 || fstat(file_.get(), &about) != 0) {
        fail_input(path_, errno);
    }
    if (S_ISDIR(about.st_mode)) {
        fail_input(path_, EISDIR);
    }
    if (S_ISREG(about.st_mode)) {
        size_bytes_ = static_cast<std::uint64_t>(about.st_size);
    }
}

std::size_t input_file::read(std::span<char> bytes) {
    for (;;) {
        const ssize_t got = ::read(file_.get(), bytes.data(), bytes.size());
        if (got >= 0) {
            return static_cast<std::size_t>(got);
        }
        if (errno != EINTR) {
            fail_input(path_, errno);
        }
    }
}

std::string read_whole(const std::string &path, std::size_t limit_bytes) {
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
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about = {};
    if (file.get() < 0 || fstat(file.get(), &about) != 0) {
        throw environment_error(path, errno);
    }
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
