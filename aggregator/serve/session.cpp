// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/session.hpp"

#include "aggregator/base/failure.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fmt/format.h>
#include <system_error>

namespace sotto::aggregator {
namespace {

namespace http = boost::beast::http;

constexpr std::uint32_t header_bytes_max = 8 << 10;
constexpr const char *retry_seconds = "10";
constexpr std::chrono::seconds drain_time{2};

// As curl -d and curl -F send, and the file is no longer what it was. The one leaves out its line
// ends, the other puts it between lines of its own.
bool is_form(boost::beast::string_view content_type) {
    const auto type = content_type.substr(0, content_type.find_first_of("; \t"));
    return boost::beast::iequals(type, "application/x-www-form-urlencoded") ||
           boost::beast::iequals(type, "multipart/form-data");
}

// However often the field is there.
bool is_nothing_but(const http::fields &header, http::field name, boost::beast::string_view value) {
    const auto [begin, end] = header.equal_range(name);
    return std::all_of(
        begin, end, [&](const auto &field) { return boost::beast::iequals(field.value(), value); });
}

// HTTP that can't be read. All other errors mean a client that is gone or too slow.
bool is_malformed(boost::system::error_code failed) {
    return failed.category() == make_error_code(http::error::bad_method).category() &&
           failed != http::error::end_of_stream && failed != http::error::partial_message;
}

// Who is gone by now has none.
boost::asio::ip::address client_of(const boost::asio::ip::tcp::socket &socket) {
    boost::system::error_code gone;
    return socket.remote_endpoint(gone).address();
}

// Own words for what an operator can mend.
std::string words_for(const std::exception &why) {
    const auto *failed = dynamic_cast<const environment_error *>(&why);
    switch (failed == nullptr ? 0 : failed->error_number()) {
    case ENOSPC:
        return "the disk is full";
    case EDQUOT:
        return "the quota is used up";
    case EROFS:
        return "the disk is read-only";
    case ENOENT:
        return "the directory is gone";
    case 0:
        return why.what();
    default:
        return std::generic_category().message(failed->error_number());
    }
}

} // namespace

session::session(boost::asio::ip::tcp::socket socket, serving &shared)
    : shared_(shared), place_(shared.places, client_of(socket)), stream_(std::move(socket)) {
    ++shared_.numbers.connections_accepted;
}

void session::start() {
    switch (place_.what()) {
    case verdict::served:
        read_header();
        break;
    case verdict::crowded:
        send(refused(http::status::service_unavailable, "too many connections"));
        break;
    case verdict::one_too_many:
        send(refused(http::status::service_unavailable, "too many connections of one address"));
        break;
    case verdict::dropped:
        shared_.refused.add("no answer (too many connections)");
        ++shared_.numbers.connections_dropped;
        stream_.close();
    }
}

void session::stop() {
    if (idle_) {
        stream_.close();
    }
}

bool session::claim(std::uint64_t bytes) {
    const std::uint64_t max = shared_.limits.body_bytes * shared_.limits.largest_bodies;
    if (bytes > max - shared_.claimed_bytes) {
        return false;
    }
    claimed_bytes_ = bytes;
    shared_.claimed_bytes += bytes;
    return true;
}

void session::release() {
    shared_.claimed_bytes -= claimed_bytes_;
    claimed_bytes_ = 0;
}

void session::read_header() {
    release();
    parser_.emplace();
    parser_->header_limit(header_bytes_max);
    parser_->body_limit(shared_.limits.body_bytes);
    idle_ = buffer_.size() == 0;
    stream_.expires_after(shared_.limits.header_time);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error failed, std::size_t) { self->on_header(failed); });
}

void session::on_header(error failed) {
    idle_ = false;
    if (failed == http::error::body_limit) {
        send(too_large());
    } else if (failed == http::error::header_limit || failed == http::error::buffer_overflow) {
        send(refused(http::status::request_header_fields_too_large, "too long a header"));
    } else if (is_malformed(failed)) {
        send(malformed(failed));
    } else if (failed) {
        stream_.close();
    } else if (std::optional<response> no = refusal()) {
        send(std::move(*no));
    } else if (!claim(parser_->content_length().value_or(shared_.limits.body_bytes))) {
        send(refused(http::status::service_unavailable, "too many bytes at once"));
    } else {
        read_body();
    }
}

// The answer that is known before the body is there.
std::optional<session::response> session::refusal() const {
    const auto &request = parser_->get();
    if (request.target() != "/reports") {
        return refused(http::status::not_found, "reports go to /reports");
    }
    if (request.method() != http::verb::post) {
        response r = refused(http::status::method_not_allowed, "reports come by POST");
        r.set(http::field::allow, "POST");
        return r;
    }
    // A browser that another site's page tells to post, and that no password would stop.
    if (request.find(http::field::origin) != request.end()) {
        return refused(http::status::forbidden, "not from a web page");
    }
    if (!is_nothing_but(request, http::field::content_encoding, "identity")) {
        return refused(http::status::unsupported_media_type, "reports come as they are");
    }
    if (!is_nothing_but(request, http::field::transfer_encoding, "chunked")) {
        return refused(http::status::not_implemented, "no Transfer-Encoding but chunked");
    }
    if (is_form(request[http::field::content_type])) {
        return refused(http::status::unsupported_media_type,
                       "a form, not a report file; curl sends one with --data-binary @FILE -H "
                       "Content-Type:");
    }
    const auto length = parser_->content_length();
    if (length && *length > shared_.limits.body_bytes) {
        return too_large();
    }
    return no_room_for(length ? *length : shared_.limits.body_bytes);
}

std::optional<session::response> session::no_room_for(std::uint64_t bytes) const {
    try {
        if (shared_.room.has_room_for(bytes)) {
            return std::nullopt;
        }
        return refused(http::status::service_unavailable, "too much waits to be ingested");
    } catch (const std::exception &why) {
        return not_now(why);
    }
}

void session::read_body() {
    if (boost::beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
        error ignored; // a few bytes into an empty buffer; a client that is gone is found out below
        http::response<http::empty_body> go_on(http::status::continue_, 11);
        stream_.socket().non_blocking(true, ignored);
        http::write(stream_, go_on, ignored);
    }
    stream_.expires_after(shared_.limits.body_time);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error failed, std::size_t) { self->on_body(failed); });
}

void session::on_body(error failed) {
    if (failed == http::error::body_limit) {
        send(too_large());
    } else if (is_malformed(failed)) {
        send(malformed(failed));
    } else if (failed) {
        ++shared_.numbers.cut;
        stream_.close();
    } else if (parser_->get().body().empty()) {
        send(refused(http::status::bad_request, "no reports in it"));
    } else {
        store();
    }
}

void session::store() {
    const std::string &body = parser_->get().body();
    // Others may have come first.
    if (std::optional<response> refused = no_room_for(body.size())) {
        send(std::move(*refused));
        return;
    }
    shared_.commit.add(body, [self = shared_from_this()](const std::exception_ptr &failure) {
        self->stored(failure);
    });
}

void session::stored(const std::exception_ptr &failure) {
    try {
        if (failure) {
            std::rethrow_exception(failure);
        }
    } catch (const std::exception &why) {
        send(not_now(why));
        return;
    }
    ++shared_.numbers.stored;
    shared_.ill.clear();
    const auto &request = parser_->get();
    response r = answer(http::status::accepted, "stored");
    r.keep_alive(request.keep_alive() && !shared_.stopping);
    if (request.version() == 10 && r.keep_alive()) { // RFC 9112, 9.3: it expects the end otherwise
        r.set(http::field::connection, "keep-alive");
    }
    send(std::move(r));
}

// An answer ends the connection, unless it is told otherwise.
session::response session::answer(http::status status, const std::string &line) const {
    response r(status, 11);
    r.set(http::field::content_type, "text/plain");
    if (status == http::status::service_unavailable) {
        r.set(http::field::retry_after, retry_seconds);
    }
    r.body() = fmt::format("{}\n", line);
    r.keep_alive(false);
    r.prepare_payload();
    return r;
}

session::response session::refused(http::status status, const std::string &line) const {
    const std::string words = fmt::format("{} ({})", static_cast<unsigned>(status), line);
    shared_.refused.add(words);
    ++shared_.numbers.refused[words];
    return answer(status, line);
}

session::response session::not_now(const std::exception &why) const {
    shared_.ill = words_for(why);
    shared_.failed.add(shared_.ill);
    ++shared_.numbers.not_stored;
    return answer(http::status::service_unavailable, "can't be stored now");
}

session::response session::malformed(error why) const {
    if (why == http::error::bad_version) {
        return refused(http::status::http_version_not_supported, "no HTTP/1.1");
    }
    return refused(http::status::bad_request, "no HTTP that can be read; TLS is for a proxy");
}

session::response session::too_large() const {
    return refused(http::status::payload_too_large,
                   fmt::format("at most {} bytes in one request; sotto serve --max-body says how "
                               "many",
                               shared_.limits.body_bytes));
}

void session::send(response r) {
    response_ = std::move(r);
    stream_.expires_after(shared_.limits.header_time);
    http::async_write(stream_, *response_, [self = shared_from_this()](error failed, std::size_t) {
        if (failed) {
            self->stream_.close();
        } else if (self->response_->keep_alive() && !self->shared_.stopping) {
            self->read_header();
        } else {
            self->end();
        }
    });
}

// A connection that is closed while bytes are on their way is reset, and the answer lost. So the
// bytes are taken, for a while, and dropped.
void session::end() {
    error ignored;
    (void)stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    stream_.expires_after(drain_time);
    drain();
}

void session::drain() {
    stream_.async_read_some(boost::asio::buffer(rest_),
                            [self = shared_from_this()](error failed, std::size_t) {
                                if (failed) {
                                    self->stream_.close();
                                } else {
                                    self->drain();
                                }
                            });
}

} // namespace sotto::aggregator
