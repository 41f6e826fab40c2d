// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REQUEST_REQUEST_HPP
#define SOTTO_AGGREGATOR_REQUEST_REQUEST_HPP

#include "aggregator/request/key.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A request to devices: sdk/proto/WIRE.md.
struct request {
    std::uint32_t registry = 0;
    std::uint32_t metric = 0, level = 0, serial = 0; // 1 and more
    std::uint32_t first_epoch = 0, last_epoch = 0;   // first <= last
    std::vector<std::uint32_t> select;               // rising; none: everybody
};

inline constexpr std::size_t request_bytes_max = 512; // a device reads no longer one

// The signed message, in canonical form; it may be longer than devices read. Errors:
// environment_error.
std::string sign_request(const request &r, const request_key &key);

} // namespace sotto::aggregator
#endif
