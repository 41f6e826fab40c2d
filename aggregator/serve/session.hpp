// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_SESSION_HPP
#define SOTTO_AGGREGATOR_SERVE_SESSION_HPP

#include "aggregator/serve/admission.hpp"
#include "aggregator/serve/group_commit.hpp"
#include "aggregator/serve/metrics.hpp"
#include "aggregator/serve/refusal_log.hpp"
#include "aggregator/serve/server.hpp"

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <optional>

namespace sotto::aggregator {

// Shared by all connections.
struct serving {
    const server_limits &limits;
    admission places;
    waiting_files &room;
    group_commit &commit;
    refusal_log &refused, &failed;
    server_numbers numbers = {};
    std::uint64_t claimed_bytes = 0; // memory of the bodies that come or wait
    std::string ill = {};            // why the last body could not be stored
    bool stopping = false;
};

// One connection and its requests, one after the other.
class session : public std::enable_shared_from_this<session> {
  public:
    session(boost::asio::ip::tcp::socket socket, serving &shared);
    session(const session &) = delete;
    session &operator=(const session &) = delete;
    ~session() { release(); }

    // Takes requests, or answers that there is no place. It keeps itself alive meanwhile.
    void start();
    // Lets what has begun to come in be finished.
    void stop();

  private:
    using error = boost::system::error_code;
    using request_parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
    using response = boost::beast::http::response<boost::beast::http::string_body>;

    void read_header();
    void on_header(error failed);
    void read_body();
    void on_body(error failed);
    void store();
    std::optional<response> refusal() const;
    std::optional<response> no_room_for(std::uint64_t bytes) const;
    void stored(const std::exception_ptr &failure);
    bool claim(std::uint64_t bytes);
    void release();
    response answer(boost::beast::http::status status, const std::string &line) const;
    response refused(boost::beast::http::status status, const std::string &line) const;
    response not_now(const std::exception &why) const;
    response malformed(error why) const;
    response too_large() const;
    void send(response r);
    void end();
    void drain();

    serving &shared_;
    admission::place place_;
    std::uint64_t claimed_bytes_ = 0;
    boost::beast::tcp_stream stream_;
    boost::beast::flat_buffer buffer_{16 << 10};
    std::optional<request_parser> parser_;
    std::optional<response> response_;
    std::array<char, 4096> rest_ = {};
    bool idle_ = true; // nothing of a request has come
};

} // namespace sotto::aggregator
#endif
