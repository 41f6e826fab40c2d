// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/failure.hpp"
#include "aggregator/base/log.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/serve/server.hpp"
#include "aggregator/store/incoming.hpp"
#include "aggregator/store/store.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace sotto::aggregator {

namespace {

// Renamed by whoever rotates it: a new one of that name. Without a log SIGHUP changes nothing.
void reopen(const std::string &log) {
    try {
        if (!log.empty()) {
            log_to(log);
        }
    } catch (const environment_error &why) {
        log_line(why.what());
    }
}

} // namespace

exit_code serve(const serve_options &options) {
    log_as(options.log_style == "json" ? log_format::json : log_format::text);
    if (!is_loopback(options.address)) {
        log_line(options.address + ": whoever reaches it can post, and nothing is encrypted on the "
                                   "way but what devices seal");
    }
    check_outside_stores("--in", options.in);
    outlive_readers();
    if (!options.log.empty()) {
        log_to(options.log);
    }
    spool target(options.in);
    server_limits limits;
    limits.body_bytes = std::min(options.body_bytes, options.waiting_bytes);
    limits.waiting_bytes = options.waiting_bytes;
    limits.connections_of_one = options.connections_of_one;
    limits.proxies = options.proxies;
    const auto listening = [&](std::uint16_t port, std::optional<std::uint16_t> status_port) {
        say(fmt::format("listening at {} port {}\n", options.address, port));
        if (status_port) {
            say(fmt::format("status at 127.0.0.1 port {}\n", *status_port));
        }
        (void)std::fflush(stdout);
    };
    serve_reports(target, {options.address, options.port, options.status_port}, limits,
                  {listening, [&] { reopen(options.log); }});
    return exit_code::done;
}

} // namespace sotto::aggregator
