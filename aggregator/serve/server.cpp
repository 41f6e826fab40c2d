// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/server.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/log.hpp"
#include "aggregator/serve/session.hpp"
#include "aggregator/serve/status.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <fmt/format.h>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace sotto::aggregator {
namespace {

namespace asio = boost::asio;
using error = boost::system::error_code;
using tcp = asio::ip::tcp;

asio::ip::address read_address(const char *option, const std::string &text) {
    error wrong;
    asio::ip::address address = asio::ip::make_address(text, wrong);
    if (wrong) {
        throw usage_error(fmt::format("{}: {} is no numeric IP address", option, text));
    }
    return address;
}

admission admission_by(const server_limits &limits) {
    std::vector<asio::ip::address> proxies;
    for (const std::string &proxy : limits.proxies) {
        proxies.push_back(read_address("--proxy", proxy));
    }
    return {limits.connections, limits.connections_of_one, std::move(proxies)};
}

class server {
  public:
    server(spool &target, const tcp::endpoint &at, const server_limits &limits)
        : room_(target.directory(), limits.waiting_bytes), shared_{limits,   admission_by(limits),
                                                                   room_,    commit_,
                                                                   refused_, failed_},
          commit_(context_, target, room_), acceptor_(context_, at),
          signals_(context_, SIGTERM, SIGINT), hangup_(context_, SIGHUP) {}

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    std::uint16_t show_status(std::uint16_t port) {
        status_.emplace(
            context_, port,
            status_pages{[this] { return ill(); }, [this] { return metrics_text(numbers()); }});
        return status_->port();
    }

    void run(const std::function<void()> &hung_up) {
        accept();
        await_signal();
        await_hangup(hung_up);
        for (bool running = true; running;) {
            try {
                (void)context_.run();
                running = false;
            } catch (const std::exception &why) { // out of memory: one connection ends, no more
                log_line(why.what());
            }
        }
        stop_logs();
    }

  private:
    std::string ill() {
        try {
            if (shared_.stopping) {
                return "stopping";
            }
            if (!shared_.ill.empty()) {
                try_disk();
                return shared_.ill;
            }
            return room_.has_room_for(1) ? "" : "too much waits to be ingested";
        } catch (const environment_error &) {
            return "the directory can't be read";
        }
    }

    // A disk that failed once may work before the next body comes: the next question is told so.
    void try_disk() {
        if (!std::exchange(trying_, true)) {
            commit_.try_out([this](const std::exception_ptr &failure) {
                trying_ = false;
                if (!failure) {
                    shared_.ill.clear();
                }
            });
        }
    }

    server_numbers numbers() {
        try {
            room_.look();
        } catch (const environment_error &) { // /health says so
        }
        server_numbers totals = shared_.numbers;
        totals.stored_bytes = commit_.finished().bytes;
        totals.groups = commit_.finished().groups;
        totals.syncs = commit_.finished().syncs;
        totals.connections = shared_.places.open();
        totals.waiting_bytes = room_.file_bytes();
        totals.waiting_bytes_max = room_.bytes_max();
        totals.waiting_files = room_.files();
        return totals;
    }

    void stop_logs() {
        refused_.stop();
        failed_.stop();
    }

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
            const auto opened = std::make_shared<session>(std::move(socket), shared_);
            std::erase_if(sessions_, [](const auto &s) { return s.expired(); });
            sessions_.push_back(opened);
            opened->start();
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

    void await_hangup(const std::function<void()> &hung_up) {
        hangup_.async_wait([this, &hung_up](error failed, int) {
            if (!failed) {
                hung_up();
                await_hangup(hung_up);
            }
        });
    }

    // Until the last connection is gone; a second signal does not wait.
    void finish() {
        if (shared_.places.open() == 0) {
            error ignored;
            stop_logs();
            (void)signals_.cancel(ignored);
            (void)hangup_.cancel(ignored);
            if (status_) {
                status_->stop();
            }
            return;
        }
        if (!waiting_) {
            waiting_ = true;
            await_signal();
        }
        pause_.expires_after(std::chrono::milliseconds(20));
        pause_.async_wait([this](error) { finish(); });
    }

    waiting_files room_;
    serving shared_; // refers to what follows
    asio::io_context context_{1};
    refusal_log refused_{context_, "refused"}, failed_{context_, "could not store"};
    group_commit commit_;
    tcp::acceptor acceptor_;
    std::optional<status_server> status_;
    asio::signal_set signals_, hangup_;
    asio::steady_timer pause_{context_};
    std::vector<std::weak_ptr<session>> sessions_;
    bool waiting_ = false, trying_ = false;
};

// The files that the process may open are shared out. Each connection has one, and as many again
// are for those that are told that there are too many. The rest is for the program itself.
std::size_t connections_max() {
    constexpr rlim_t own_files = 24;
    rlimit files = {};
    (void)getrlimit(RLIMIT_NOFILE, &files);
    return files.rlim_cur > own_files + 2 ? (files.rlim_cur - own_files) / 2 : 1;
}

} // namespace

bool is_loopback(const std::string &address) {
    return read_address("--address", address).is_loopback();
}

void serve_reports(spool &target, const listen_address &at, const server_limits &limits,
                   const server_calls &calls) {
    const tcp::endpoint endpoint(read_address("--address", at.address), at.port);
    server_limits within = limits;
    within.connections = std::min(within.connections, connections_max());
    std::string where = fmt::format("{} port {}", at.address, at.port);
    try {
        server s(target, endpoint, within);
        std::optional<std::uint16_t> status_port;
        if (at.status_port) {
            where = fmt::format("127.0.0.1 port {}", *at.status_port);
            status_port = s.show_status(*at.status_port);
        }
        calls.listening(s.port(), status_port);
        s.run(calls.hung_up);
    } catch (const boost::system::system_error &failed) {
        throw environment_error(fmt::format("{}: {}", where, failed.code().message()));
    }
}

} // namespace sotto::aggregator
