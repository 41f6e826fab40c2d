// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/log.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/printable.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <unistd.h>

namespace sotto::aggregator {

void log_line(std::string_view line) noexcept {
    try {
        const std::string whole = "sotto: " + printable(line) + "\n";
        (void)std::fwrite(whole.data(), 1, whole.size(), stderr);
    } catch (const std::bad_alloc &) {
        (void)std::fputs("sotto: out of memory\n", stderr);
    }
}

void log_to(const std::string &path) {
    constexpr mode_t mode = 0640;
    const descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, mode));
    if (file.get() < 0 || ::dup2(file.get(), STDERR_FILENO) < 0) {
        throw environment_error(path, errno);
    }
}

void say(std::string_view text) noexcept { (void)std::fwrite(text.data(), 1, text.size(), stdout); }

void outlive_readers() noexcept { (void)std::signal(SIGPIPE, SIG_IGN); }

} // namespace sotto::aggregator
