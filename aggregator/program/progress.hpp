// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_PROGRESS_HPP
#define SOTTO_AGGREGATOR_PROGRAM_PROGRESS_HPP

#include "aggregator/base/text.hpp"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace sotto::aggregator {

// Seconds since it was made.
class stopwatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A line on standard error that is rewritten a few times a second; only on a terminal.
class progress {
  public:
    explicit progress(const char *unit) : unit_(unit) {}
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;
    ~progress() { clear(); }

    // Before anything else is printed.
    void clear() {
        if (shown_) {
            (void)std::fputs("\r\033[K", stderr);
            (void)std::fflush(stderr);
            shown_ = false;
        }
    }

    // `share` of the whole is done, 0 to 1; 0 when nobody knows.
    void show(std::uint64_t done, double share) {
        const double now = terminal_ ? watch_.seconds() : 0;
        if (now < next_) {
            return;
        }
        next_ = now + 0.2;
        shown_ = true;
        std::string line =
            fmt::format("\r\033[K{} {}, {}/s", grouped(done), unit_,
                        grouped(static_cast<std::uint64_t>(static_cast<double>(done) / now)));
        if (share > 0) {
            line += fmt::format(", {} left", seconds_text(now / share - now));
        }
        (void)std::fputs(line.c_str(), stderr); // never throws: the terminal may be gone
        (void)std::fflush(stderr);
    }

  private:
    const char *unit_;
    bool terminal_ = isatty(STDERR_FILENO) == 1, shown_ = false;
    stopwatch watch_;
    double next_ = 0.2;
};

} // namespace sotto::aggregator
#endif
