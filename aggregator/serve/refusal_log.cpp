// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/refusal_log.hpp"

#include "aggregator/base/log.hpp"
#include "aggregator/base/text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::chrono::seconds pause_between_lines{60};

} // namespace

void refusal_log::add(const std::string &why) {
    const auto at = kinds_.try_emplace(why, kind{boost::asio::steady_timer(in_)}).first;
    ++at->second.gathered;
    if (!at->second.waiting) {
        tell(at->first, at->second);
        pause(at->first, at->second);
    }
}

void refusal_log::stop() {
    for (auto &[why, refusal] : kinds_) {
        refusal.waiting = false;
        (void)refusal.timer.cancel();
        tell(why, refusal);
    }
}

void refusal_log::tell(const std::string &why, kind &refusal) const {
    if (refusal.gathered > 0) {
        log_line(fmt::format("{} {}: {}", what_, counted(refusal.gathered, "request"), why));
        refusal.gathered = 0;
    }
}

// Both stay where they are in the map.
void refusal_log::pause(const std::string &why, kind &refusal) {
    refusal.waiting = true;
    refusal.timer.expires_after(pause_between_lines);
    refusal.timer.async_wait([this, &why, &refusal](boost::system::error_code cancelled) {
        if (cancelled) {
            return;
        }
        refusal.waiting = false;
        if (refusal.gathered > 0) {
            tell(why, refusal);
            pause(why, refusal);
        }
    });
}

} // namespace sotto::aggregator
