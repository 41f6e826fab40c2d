// SPDX-License-Identifier: Apache-2.0
// serve-load: how many bodies of 1 kB a second `sotto serve` makes durable, in turns with one
// connection and with many. With one, every body waits for a sync of its own; many share them.
//   serve-load PORT CONNECTIONS SECONDS     (at 127.0.0.1; SECONDS of each, 1 to 60)
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

// An envelope of 1,000 bytes behind its length: framed as a report file is, and no report.
std::string request() {
    std::string body = "\xe8\x07" + std::string(1000, 'x');
    return "POST /reports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

int connected(std::uint16_t port) {
    const int enabled = 1, client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in server = {};
    server.sin_family = AF_INET;
    server.sin_port = htons(port);
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &enabled, sizeof enabled);
    if (::connect(client, reinterpret_cast<const sockaddr *>(&server), sizeof server) != 0) {
        std::perror("serve-load");
        std::exit(3);
    }
    return client;
}

// Whether the body was stored. An answer is short and comes in one piece.
bool post(int client, std::string_view whole) {
    if (::send(client, whole.data(), whole.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(whole.size())) {
        return false;
    }
    char answer[1024];
    const ssize_t got = ::recv(client, answer, sizeof answer, 0);
    return got > 12 &&
           std::string_view(answer, static_cast<std::size_t>(got)).substr(9, 3) == "202";
}

// Stored bodies a second.
double rate(std::uint16_t port, unsigned connections, unsigned seconds) {
    const std::string whole = request();
    const auto begun = clock_type::now(), end = begun + std::chrono::seconds(seconds);
    std::atomic<std::uint64_t> stored = 0;
    std::atomic<unsigned> refused = 0;
    std::vector<std::thread> clients;
    for (unsigned i = 0; i < connections; ++i) {
        clients.emplace_back([&] {
            const int client = connected(port);
            while (clock_type::now() < end) {
                if (!post(client, whole)) {
                    ++refused;
                    break;
                }
                ++stored;
            }
            ::close(client);
        });
    }
    for (std::thread &client : clients) {
        client.join();
    }
    if (refused > 0) {
        std::fprintf(stderr,
                     "serve-load: %u connections were refused; --proxy 127.0.0.1 and more "
                     "--max-waiting let all in\n",
                     refused.load());
        std::exit(1);
    }
    return static_cast<double>(stored) /
           std::chrono::duration<double>(clock_type::now() - begun).count();
}

unsigned number(std::string_view text, unsigned max) {
    unsigned value = 0;
    const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc() || stop != text.data() + text.size() || value == 0 || value > max) {
        std::fprintf(stderr, "serve-load: %.*s is not a whole number from 1 to %u\n",
                     static_cast<int>(text.size()), text.data(), max);
        std::exit(2);
    }
    return value;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 4) {
        std::fputs("serve-load PORT CONNECTIONS SECONDS\n", stderr);
        return 2;
    }
    constexpr unsigned connections_max = 256, seconds_max = 60;
    const auto port = static_cast<std::uint16_t>(number(argv[1], 65535));
    const unsigned connections = number(argv[2], connections_max);
    const unsigned seconds = number(argv[3], seconds_max);
    const double alone = rate(port, 1, seconds), together = rate(port, connections, seconds);
    std::printf("1 connection: %.0f/s; %u connections: %.0f/s; %.1f times\n", alone, connections,
                together, together / alone);
}
