// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_LOG_HPP
#define SOTTO_AGGREGATOR_BASE_LOG_HPP

#include <string>
#include <string_view>

namespace sotto::aggregator {

// The shape of what follows, of log_line() and say(). Before there are threads.
enum class log_format {
    text,
    json // an object a line, with `time` (RFC 3339, UTC), `stream` and `message`
};
void log_as(log_format format) noexcept;

// "sotto: LINE" on standard error, printable. Where that can't be written, as on a full disk, the
// line is lost and the program goes on. Any thread may call it.
void log_line(std::string_view line) noexcept;

// From now on standard error is this file, appended to; called again it is opened anew, as after it
// was renamed. Errors: environment_error; all stays as it was then.
void log_to(const std::string &path);

// A command's answer, as it is, on standard output; lines of it as log_as() says. A loss is told by
// main().
void say(std::string_view text) noexcept;

// For a program that outlives whoever reads what it says: no SIGPIPE then. Before there are
// threads.
void outlive_readers() noexcept;

} // namespace sotto::aggregator
#endif
