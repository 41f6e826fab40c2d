// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_PERMANENT_VALUE_HPP
#define SOTTO_CLIENT_PERMANENT_VALUE_HPP

#include "crypto/stream.hpp"
#include "sotto/sotto.h"

// A remembered value before any noise: its digest, its tag, and the stream of its permanent noise.
// sdk/proto/WIRE.md specifies the bytes.
namespace sotto::device {

// A device's cohort follows from its secret. One number serves all metrics. Errors: CRYPTO.
sotto_status assign_cohort(sotto_client &client);
// The cohort for a metric; 0 where its mechanism has none.
uint32_t cohort_of(const sotto_client &client, const sotto_metric &metric);

// The digest of a string in its cohort; one longer than max_bytes is a value of its own. Hashes
// max_bytes, at most SOTTO_STRING_BYTES_MAX, whatever the length. Sets *too_long to 1 or 0. Errors:
// CRYPTO.
sotto_status string_digest(uint32_t max_bytes, uint32_t cohort, const char *text,
                           size_t length_bytes, uint8_t digest[crypto::digest_bytes],
                           uint32_t *too_long);
sotto_status category_digest(uint32_t category, uint8_t digest[crypto::digest_bytes]);

// A value's own on this device and in this definition, the same whenever it is asked. It has a tag
// to know it by, and the permanent noise of the ladder's top. The status is CRYPTO when there is
// neither.
struct permanent_value {
    permanent_value(const sotto_client &client, const sotto_metric &metric,
                    const uint8_t digest[crypto::digest_bytes]);
    sotto_status status;
    crypto::stream noise;
    uint32_t tag[2]; // never zero
};

// The key of the steps between the permanent bits of one level and the next, by the value's tag. So
// different values, dummies among them, never share their noise, whatever their bits.
sotto_status steps_key(const sotto_client &client, const sotto_metric &metric,
                       const uint32_t tag[2], uint8_t key[crypto::key_bytes]);

// All ones if this device remembers the value, or has room to. Else zero: a dummy without any bit
// has to stand for it. admit_value() keeps the value, once its release is made.
uint32_t is_admissible(const sotto_client &client, const sotto_metric &metric,
                       const uint32_t tag[2]);
void admit_value(const sotto_client &client, const sotto_metric &metric, const uint32_t tag[2]);

} // namespace sotto::device
#endif
