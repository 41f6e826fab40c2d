// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/new_file.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

bool write_all(int file, std::string_view rest) {
    while (!rest.empty()) {
        const ssize_t done = ::write(file, rest.data(), rest.size());
        if (done < 0 && errno != EINTR) {
            return false;
        }
        rest.remove_prefix(done > 0 ? static_cast<std::size_t>(done) : 0);
    }
    return true;
}

} // namespace

void write_new_file(const std::filesystem::path &path, std::string_view bytes, mode_t mode) {
    // Nobody else may read it before it has its permissions.
    const descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() < 0) {
        throw environment_error(path, errno);
    }
    try {
        if (!write_all(file.get(), bytes) || fchmod(file.get(), mode) != 0 ||
            fsync(file.get()) != 0) {
            throw environment_error(path, errno);
        }
        sync_directory(path.has_parent_path() ? path.parent_path() : ".");
    } catch (...) {
        ::unlink(path.c_str());
        throw;
    }
}

} // namespace sotto::aggregator
