// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_ADMISSION_HPP
#define SOTTO_AGGREGATOR_SERVE_ADMISSION_HPP

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace sotto::aggregator {

// The fate of a connection.
enum class verdict {
    served,
    crowded,      // there are too many connections: told so
    one_too_many, // this client's address has too many: told so
    dropped       // too many are being told so
};

// Admits connections: so many in all, so many of one address. A network of IPv6 is one address: its
// owner has 2^64. For one thread; it must outlive its places.
class admission {
  public:
    // No limit of their own holds for the proxies' addresses.
    admission(std::size_t in_all, std::size_t of_one_address,
              std::vector<boost::asio::ip::address> proxies);

    // Kept as long as there is the connection.
    class place {
      public:
        place(admission &in, const boost::asio::ip::address &client);
        place(const place &) = delete;
        place &operator=(const place &) = delete;
        ~place();
        verdict what() const noexcept { return what_; }

      private:
        admission &in_;
        boost::asio::ip::address network_;
        verdict what_;
    };

    std::size_t served() const noexcept { return served_; }
    std::size_t open() const noexcept { return served_ + told_; }

  private:
    verdict decide(const boost::asio::ip::address &client,
                   const boost::asio::ip::address &network) const;

    std::size_t in_all_, of_one_address_;
    std::vector<boost::asio::ip::address> proxies_;
    std::map<boost::asio::ip::address, std::size_t> by_network_; // served
    std::size_t served_ = 0, told_ = 0;
};

} // namespace sotto::aggregator
#endif
