// SPDX-License-Identifier: Apache-2.0
#include "spoilt_noise.hpp"

#include "client/randomness.hpp"
#include "crypto/stream.hpp"

#include <utility>

namespace {

sotto::test::fault now; // empty: the noise is honest

sotto_status spoil(sotto_status status, uint8_t *bytes, size_t length_bytes) {
    if (now && status == SOTTO_OK) {
        now(bytes, length_bytes);
    }
    return status;
}

} // namespace

namespace sotto::test {

planted::planted(fault f) { now = std::move(f); }
planted::~planted() { now = nullptr; }

} // namespace sotto::test

// device::draw and crypto::stream::read, as the linker's --wrap calls them.
extern "C" {
sotto_status __real__ZN5sotto6device4drawER12sotto_clientPhm(sotto_client &client, uint8_t *bytes,
                                                             size_t length_bytes);
sotto_status __wrap__ZN5sotto6device4drawER12sotto_clientPhm(sotto_client &client, uint8_t *bytes,
                                                             size_t length_bytes) {
    return spoil(__real__ZN5sotto6device4drawER12sotto_clientPhm(client, bytes, length_bytes),
                 bytes, length_bytes);
}

sotto_status __real__ZN5sotto6crypto6stream4readEPhm(sotto::crypto::stream *self, uint8_t *bytes,
                                                     size_t length_bytes);
sotto_status __wrap__ZN5sotto6crypto6stream4readEPhm(sotto::crypto::stream *self, uint8_t *bytes,
                                                     size_t length_bytes) {
    return spoil(__real__ZN5sotto6crypto6stream4readEPhm(self, bytes, length_bytes), bytes,
                 length_bytes);
}
}
