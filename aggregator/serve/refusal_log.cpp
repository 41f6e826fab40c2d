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
    ++gathered_[why];
    if (!waiting_) {
        tell();
    }
}

void refusal_log::stop() {
    waiting_ = false;
    (void)timer_.cancel();
    if (!gathered_.empty()) {
        tell();
        (void)timer_.cancel();
    }
}

void refusal_log::tell() {
    std::uint64_t all = 0;
    std::vector<std::string> parts;
    for (const auto &[why, times] : gathered_) {
        all += times;
        parts.push_back(fmt::format("{} x {}", grouped(times), why));
    }
    log_line(fmt::format("{} {}: {}", what_, counted(all, "request"), joined(parts)));
    gathered_.clear();
    waiting_ = true;
    timer_.expires_after(pause_between_lines);
    timer_.async_wait([this](boost::system::error_code cancelled) {
        if (cancelled) {
            return;
        }
        waiting_ = false;
        if (!gathered_.empty()) {
            tell();
        }
    });
}

} // namespace sotto::aggregator
