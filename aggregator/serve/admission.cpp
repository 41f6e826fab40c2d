// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/admission.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

namespace ip = boost::asio::ip;

ip::address unmapped(const ip::address &any) {
    return any.is_v6() && any.to_v6().is_v4_mapped()
               ? ip::make_address_v4(ip::v4_mapped, any.to_v6())
               : any;
}

// The first 64 bits of IPv6.
ip::address network_of(const ip::address &client) {
    if (client.is_v4()) {
        return client;
    }
    ip::address_v6::bytes_type bytes = client.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
    return ip::address_v6(bytes);
}

} // namespace

admission::admission(std::size_t in_all, std::size_t of_one_address,
                     std::vector<ip::address> proxies)
    : in_all_(in_all), of_one_address_(of_one_address), proxies_(std::move(proxies)) {}

verdict admission::decide(const ip::address &client, const ip::address &network) const {
    const auto others = by_network_.find(network);
    const bool is_proxy = std::find(proxies_.begin(), proxies_.end(), client) != proxies_.end();
    const bool has_many = others != by_network_.end() && others->second >= of_one_address_;
    if (served_ < in_all_ && (is_proxy || !has_many)) {
        return verdict::served;
    }
    if (told_ >= in_all_) {
        return verdict::dropped;
    }
    return served_ >= in_all_ ? verdict::crowded : verdict::one_too_many;
}

admission::place::place(admission &in, const ip::address &client)
    : in_(in), network_(network_of(unmapped(client))),
      what_(in.decide(unmapped(client), network_)) {
    if (what_ == verdict::served) {
        ++in_.by_network_[network_];
        ++in_.served_;
    } else {
        ++in_.told_;
    }
}

admission::place::~place() {
    if (what_ != verdict::served) {
        --in_.told_;
        return;
    }
    --in_.served_;
    if (const auto mine = in_.by_network_.find(network_); --mine->second == 0) {
        in_.by_network_.erase(mine);
    }
}

} // namespace sotto::aggregator
