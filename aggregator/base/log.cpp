// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/log.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/json_layout.hpp"
#include "aggregator/base/printable.hpp"
#include "aggregator/base/text.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <new>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

log_format format_now = log_format::text;

std::string json_line(const char *stream, const std::string &message) {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const json_value line = {{"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                             {"stream", stream},
                             {"message", message}};
    // A path may have bytes that are no UTF-8.
    return line.dump(-1, ' ', false, json_value::error_handler_t::replace) + "\n";
}

void say_in_json(std::string_view text) {
    for (const std::string &line : split(text, '\n')) {
        if (!line.empty()) {
            const std::string whole = json_line("output", printable(line));
            (void)std::fwrite(whole.data(), 1, whole.size(), stdout);
        }
    }
}

} // namespace

void log_as(log_format format) noexcept { format_now = format; }

void log_line(std::string_view line) noexcept {
    try {
        const std::string whole = format_now == log_format::json
                                      ? json_line("error", printable(line))
                                      : "sotto: " + printable(line) + "\n";
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

void say(std::string_view text) noexcept {
    if (format_now == log_format::text) {
        (void)std::fwrite(text.data(), 1, text.size(), stdout);
        return;
    }
    try {
        say_in_json(text);
    } catch (const std::bad_alloc &) {
        (void)std::fputs("sotto: out of memory\n", stderr);
    }
}

void outlive_readers() noexcept { (void)std::signal(SIGPIPE, SIG_IGN); }

} // namespace sotto::aggregator
