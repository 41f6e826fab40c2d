// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_SERVER_HPP
#define SOTTO_AGGREGATOR_SERVE_SERVER_HPP

#include "aggregator/serve/spool.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// Limits of a server; sizes in bytes.
struct server_limits {
    std::uint64_t body_bytes = 4 << 20;
    // Fewer where the process may not open enough files.
    std::size_t connections = 256;
    // In memory, of all of them: so many bodies of the largest size.
    std::uint64_t largest_bodies = 64;
    // Connections of one client's address, but for the proxies', numeric.
    std::size_t connections_of_one = 16;
    std::vector<std::string> proxies = {};
    std::uint64_t waiting_bytes = std::uint64_t{1} << 30;
    // To send a whole header, and a whole body, however slowly its bytes come.
    std::chrono::seconds header_time{10}, body_time{30};
};

// The addresses of reports and of status pages.
struct listen_address {
    std::string address = "127.0.0.1";                       // numeric
    std::uint16_t port = 8450;                               // 0: any
    std::optional<std::uint16_t> status_port = std::nullopt; // at 127.0.0.1
};

// Called in the server's thread.
struct server_calls {
    // With the ports that it listens at.
    std::function<void(std::uint16_t port, std::optional<std::uint16_t> status_port)> listening;
    std::function<void()> hung_up; // SIGHUP came
};

// Takes POST /reports into the spool, with HTTP/1.1, until SIGTERM or SIGINT. Then it takes no
// more, finishes what has begun to come, and returns; at a second signal at once. Answers:
// - 202 once durable
// - 400 without a body or to what is no HTTP, 403 to a web page, 404, 405, 413
// - 415 for a body that is compressed or a form, 501, 505
// - 503 with Retry-After where there is no room, the disk fails, or there are too many connections
//
// Refusals are told on standard error, summed.
// Errors: usage_error for an address that is none; environment_error.
void serve_reports(spool &target, const listen_address &at, const server_limits &limits,
                   const server_calls &calls);

// Whether a numeric address is this machine's own. Errors: usage_error for any other text.
bool is_loopback(const std::string &address);

} // namespace sotto::aggregator
#endif
