// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_ENTROPY_GATHER_HPP
#define SOTTO_ENTROPY_GATHER_HPP

#include "sotto/port.h"

namespace sotto::entropy {

// Takes exactly length_bytes from the port or fails: ENTROPY_SHORT when it wrote fewer,
// ENTROPY_STUCK when one byte repeats beyond chance, the port's own ENTROPY_... status, and
// ENTROPY_FAILED for any other answer. The bytes are zeroed on failure.
sotto_status gather(const sotto_port &port, uint8_t *bytes, size_t length_bytes);

// NIST SP 800-90B 4.4.1 on bytes, C = 1 + ceil(30 / H): at H = 1 bit a byte, a healthy source
// raises a false alarm with a probability below 2^-30 a byte.
inline constexpr size_t repetition_cutoff = 31;

} // namespace sotto::entropy
#endif
