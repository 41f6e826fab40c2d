// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/log.hpp"

#include "aggregator/base/printable.hpp"

#include <csignal>
#include <cstdio>
#include <new>
#include <string>

namespace sotto::aggregator {

void log_line(std::string_view line) noexcept {
    try {
        const std::string whole = "sotto: " + printable(line) + "\n";
        (void)std::fwrite(whole.data(), 1, whole.size(), stderr);
    } catch (const std::bad_alloc &) {
        (void)std::fputs("sotto: out of memory\n", stderr);
    }
}

void say(std::string_view text) noexcept { (void)std::fwrite(text.data(), 1, text.size(), stdout); }

void outlive_readers() noexcept { (void)std::signal(SIGPIPE, SIG_IGN); }

} // namespace sotto::aggregator
