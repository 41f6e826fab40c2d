// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/status.hpp"

#include "aggregator/serve/metrics.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <optional>

namespace sotto::aggregator {
namespace {

namespace http = boost::beast::http;
using error = boost::system::error_code;
using tcp = boost::asio::ip::tcp;

constexpr std::size_t open_max = 8;
constexpr std::chrono::seconds time_max{5};
constexpr std::uint32_t request_bytes_max = 8 << 10;

} // namespace

// One request, one answer.
class status_server::visit : public std::enable_shared_from_this<status_server::visit> {
  public:
    visit(tcp::socket socket, std::shared_ptr<shared> with)
        : stream_(std::move(socket)), with_(std::move(with)) {
        ++with_->open;
    }
    visit(const visit &) = delete;
    visit &operator=(const visit &) = delete;
    ~visit() { --with_->open; }

    void start() {
        parser_.header_limit(request_bytes_max);
        stream_.expires_after(time_max);
        http::async_read_header(stream_, buffer_, parser_,
                                [self = shared_from_this()](error failed, std::size_t) {
                                    if (!failed) {
                                        self->send();
                                    }
                                });
    }

  private:
    void send() {
        fill();
        answer_.keep_alive(false);
        answer_.prepare_payload();
        http::async_write(stream_, answer_, [self = shared_from_this()](error, std::size_t) {
            error ignored;
            (void)self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        });
    }

    void fill() {
        answer_.version(11);
        answer_.set(http::field::content_type, "text/plain");
        if (parser_.get().method() != http::verb::get) {
            answer_.result(http::status::method_not_allowed);
            answer_.set(http::field::allow, "GET");
        } else if (parser_.get().target() == "/health") {
            const std::string ill = with_->pages.ill();
            answer_.result(ill.empty() ? http::status::ok : http::status::service_unavailable);
            answer_.body() = (ill.empty() ? "ok" : ill) + "\n";
        } else if (parser_.get().target() == "/metrics") {
            answer_.set(http::field::content_type, metrics_content_type);
            answer_.body() = with_->pages.metrics();
        } else {
            answer_.result(http::status::not_found);
        }
    }

    boost::beast::tcp_stream stream_;
    boost::beast::flat_buffer buffer_{16 << 10};
    http::request_parser<http::empty_body> parser_;
    http::response<http::string_body> answer_;
    std::shared_ptr<shared> with_;
};

status_server::status_server(boost::asio::io_context &in, std::uint16_t port, status_pages pages)
    : acceptor_(in, {boost::asio::ip::address_v4::loopback(), port}), pause_(in),
      shared_(std::make_shared<shared>(shared{std::move(pages)})) {
    accept();
}

void status_server::stop() {
    error ignored;
    (void)acceptor_.close(ignored);
    (void)pause_.cancel();
}

void status_server::accept() {
    acceptor_.async_accept([this](error failed, tcp::socket socket) {
        if (!acceptor_.is_open()) {
            return;
        }
        if (failed) { // out of descriptors: not in a circle
            pause_.expires_after(std::chrono::seconds(1));
            pause_.async_wait([this](error cancelled) {
                if (!cancelled) {
                    accept();
                }
            });
            return;
        }
        accept();
        if (shared_->open < open_max) {
            std::make_shared<visit>(std::move(socket), shared_)->start();
        }
    });
}

} // namespace sotto::aggregator
