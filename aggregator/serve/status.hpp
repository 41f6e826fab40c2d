// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_STATUS_HPP
#define SOTTO_AGGREGATOR_SERVE_STATUS_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sotto::aggregator {

// The answers of status pages now.
struct status_pages {
    std::function<std::string()> ill; // why nothing can be stored; "" where it can
    std::function<std::string()> metrics;
};

// GET /health, 200 or 503, and GET /metrics, at 127.0.0.1, for this machine alone.
class status_server {
  public:
    // Errors: boost::system::system_error when the port is taken.
    status_server(boost::asio::io_context &in, std::uint16_t port, status_pages pages);
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    void stop();

  private:
    void accept();

    struct shared {
        status_pages pages;
        std::size_t open = 0;
    };
    class visit;

    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    std::shared_ptr<shared> shared_; // outlived by connections
};

} // namespace sotto::aggregator
#endif
