// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_TESTS_SPOILT_NOISE_HPP
#define SOTTO_TESTS_SPOILT_NOISE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>

// Faults of a random helper, planted where the client gets all of its noise: the linker puts
// spoilt_noise.cpp before device::draw and crypto::stream::read.
namespace sotto::test {

using fault = std::function<void(uint8_t *bytes, size_t length_bytes)>;

// As long as it lives, `f` sees and changes all noise after it is drawn. One at a time.
class planted {
  public:
    explicit planted(fault f);
    ~planted();
    planted(const planted &) = delete;
    planted &operator=(const planted &) = delete;
};

} // namespace sotto::test
#endif
