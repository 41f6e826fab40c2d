// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/log.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/incoming.hpp"
#include "aggregator/serve/server.hpp"
#include "aggregator/store/store.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace sotto::aggregator {

exit_code serve(const serve_options &options) {
    if (!is_loopback(options.address)) {
        log_line(options.address + ": whoever reaches it can post, and nothing is encrypted on the "
                                   "way but what devices seal");
    }
    check_outside_stores("--in", options.in);
    outlive_readers();
    spool to(options.in, options.waiting_bytes);
    server_limits limits;
    limits.body_bytes = std::min(options.body_bytes, options.waiting_bytes);
    serve_reports(to, {options.address, options.port}, limits, [&](std::uint16_t port) {
        say(fmt::format("listening at {} port {}\n", options.address, port));
        (void)std::fflush(stdout);
    });
    return exit_code::done;
}

} // namespace sotto::aggregator
