// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/server.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/log.hpp"
#include "aggregator/serve/session.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <fmt/format.h>
#include <sys/resource.h>
#include <vector>

namespace sotto::aggregator {
namespace {

namespace asio = boost::asio;
using error = boost::system::error_code;
using tcp = asio::ip::tcp;

class server {
  public:
    server(spool &to, const tcp::endpoint &at, const server_limits &limits)
        : shared_{to, limits, refused_}, acceptor_(context_, at),
          signals_(context_, SIGTERM, SIGINT) {}

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    void run() {
        accept();
        await_signal();
        for (bool running = true; running;) {
            try {
                (void)context_.run();
                running = false;
            } catch (const std::exception &why) { // out of memory: one connection ends, no more
                log_line(why.what());
            }
        }
        refused_.stop();
    }

  private:
    void accept() {
        acceptor_.async_accept([this](error failed, tcp::socket socket) {
            if (shared_.stopping) {
                return;
            }
            if (failed) { // out of descriptors: not in a circle
                pause_.expires_after(std::chrono::seconds(1));
                pause_.async_wait([this](error) {
                    if (!shared_.stopping) {
                        accept();
                    }
                });
                return;
            }
            accept(); // whatever becomes of this one
            const auto one = std::make_shared<session>(std::move(socket), shared_);
            std::erase_if(sessions_, [](const auto &s) { return s.expired(); });
            sessions_.push_back(one);
            one->start();
        });
    }

    void await_signal() {
        signals_.async_wait([this](error failed, int) {
            if (failed) {
                return;
            }
            if (shared_.stopping) {
                context_.stop();
                return;
            }
            shared_.stopping = true;
            error ignored;
            (void)acceptor_.close(ignored);
            (void)pause_.cancel();
            for (const std::weak_ptr<session> &s : sessions_) {
                if (const auto open = s.lock()) {
                    open->stop();
                }
            }
            finish();
        });
    }

    // Until the last connection is gone; a second signal does not wait.
    void finish() {
        if (shared_.connections == 0) {
            error ignored;
            refused_.stop();
            (void)signals_.cancel(ignored);
            return;
        }
        if (!waiting_) {
            waiting_ = true;
            await_signal();
        }
        pause_.expires_after(std::chrono::milliseconds(20));
        pause_.async_wait([this](error) { finish(); });
    }

    serving shared_;
    asio::io_context context_{1};
    refusal_log refused_{context_};
    tcp::acceptor acceptor_;
    asio::signal_set signals_;
    asio::steady_timer pause_{context_};
    std::vector<std::weak_ptr<session>> sessions_;
    bool waiting_ = false;
};

// Of the files that the process may open, one for each connection, as many again for those that are
// told that there are too many, and the rest for the program itself.
std::size_t connections_max() {
    constexpr rlim_t own_files = 24;
    rlimit files = {};
    (void)getrlimit(RLIMIT_NOFILE, &files);
    return files.rlim_cur > own_files + 2 ? (files.rlim_cur - own_files) / 2 : 1;
}

asio::ip::address read_address(const std::string &text) {
    error wrong;
    const asio::ip::address address = asio::ip::make_address(text, wrong);
    if (wrong) {
        throw usage_error(fmt::format("--address: {} is no numeric IP address", text));
    }
    return address;
}

} // namespace

bool is_loopback(const std::string &address) { return read_address(address).is_loopback(); }

void serve_reports(spool &to, const listen_address &at, const server_limits &limits,
                   const std::function<void(std::uint16_t port)> &listening) {
    const tcp::endpoint endpoint(read_address(at.address), at.port);
    server_limits within = limits;
    within.connections = std::min(within.connections, connections_max());
    try {
        server s(to, endpoint, within);
        listening(s.port());
        s.run();
    } catch (const boost::system::system_error &failed) {
        throw environment_error(
            fmt::format("{} port {}: {}", at.address, at.port, failed.code().message()));
    }
}

} // namespace sotto::aggregator
