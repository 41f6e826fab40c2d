// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_REFUSAL_LOG_HPP
#define SOTTO_AGGREGATOR_SERVE_REFUSAL_LOG_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <string>

namespace sotto::aggregator {

// Tells the operator about requests on standard error: for each reason the first at once, then once
// a minute how many there were. For one thread.
class refusal_log {
  public:
    // Each line begins with `what`, as "refused".
    refusal_log(boost::asio::io_context &in, const char *what) : in_(in), what_(what) {}

    // `why` is of the program's own words, and of few different ones.
    void add(const std::string &why);
    // Tells the rest, and waits for nothing any more.
    void stop();

  private:
    struct kind {
        boost::asio::steady_timer timer;
        std::uint64_t gathered = 0;
        bool waiting = false;
    };

    void tell(const std::string &why, kind &refusal) const;
    void pause(const std::string &why, kind &refusal);

    boost::asio::io_context &in_;
    const char *what_;
    std::map<std::string, kind> kinds_;
};

} // namespace sotto::aggregator
#endif
