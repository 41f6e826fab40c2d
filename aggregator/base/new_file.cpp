// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/new_file.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"

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

bool sync_directory(const std::filesystem::path &path) {
    const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
    const descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems have no fsync for directories and say EINVAL.
    return opened.get() >= 0 && (fsync(opened.get()) == 0 || errno == EINVAL);
}

} // namespace

void write_new_file(const std::filesystem::path &path, std::string_view bytes, mode_t mode) {
    // Nobody else may read it before it has its permissions.
    const descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() < 0) {
        throw environment_error(path, errno);
    }
    if (!write_all(file.get(), bytes) || fchmod(file.get(), mode) != 0 || fsync(file.get()) != 0 ||
        !sync_directory(path)) {
        const int why = errno;
        ::unlink(path.c_str());
        throw environment_error(path, why);
    }
}

} // namespace sotto::aggregator
