// SPDX-License-Identifier: Apache-2.0
// Requests of the operator of the campaign's fleet: one for each serial, signed once.
#ifndef ASKED_HPP
#define ASKED_HPP

#include <cstdint>
#include <string>

inline constexpr uint32_t serials = 24;

// Serials 1 to `serials`, always the same request.
const std::string &signed_request(uint32_t serial);

#endif
