// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/commands.hpp"
#include "aggregator/serve/server.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace sotto::aggregator {

exit_code serve(const serve_options &options) {
    if (!is_loopback(options.address)) {
        fmt::print(stderr,
                   "sotto: {}: whoever reaches it can post, and nothing is encrypted on "
                   "the way but what devices seal\n",
                   options.address);
    }
    spool to(options.in, options.waiting_bytes);
    server_limits limits;
    limits.body_bytes = options.body_bytes;
    serve_reports(to, {options.address, options.port}, limits, [&](std::uint16_t port) {
        fmt::print("listening at {} port {}\n", options.address, port);
        (void)std::fflush(stdout);
    });
    return exit_code::done;
}

} // namespace sotto::aggregator
