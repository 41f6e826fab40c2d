// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_BLOOM_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_BLOOM_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/statistics/rappor.hpp"

namespace sotto::aggregator {

// The Bloom bits that the device gives a string (sdk/proto/WIRE.md). Let d be the SHA-256 of this:
//   0x0e "sotto bloom v1", cohort, length in bytes, the bytes, and zeros up to max_bytes
// Integers have 32 bits, big-endian. Hash i is floor(d_i bits / 2^32), d_i the bytes 4i to 4i + 3.
// A string of more than max_bytes has the length 2^32 - 1 and only zeros: all such are one value.
bloom_function bloom_of(const bloom_shape &shape);
// The bits of the metric's candidates. A category's text stands for the four bytes of its index.
bloom_function bloom_of(const metric &m);

// The shape that their shares are estimated by.
rappor_shape shape_of(const bloom_shape &shape);

// A string that is longer than max_bytes: its Bloom bits are those of all such strings.
std::string any_longer_string(const bloom_shape &shape);

// The name of all strings that are longer: "longer than 9 bytes".
std::string longer_than(std::uint32_t max_bytes);

} // namespace sotto::aggregator
#endif
