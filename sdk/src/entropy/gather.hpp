// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_ENTROPY_GATHER_HPP
#define SOTTO_ENTROPY_GATHER_HPP

#include "sotto/port.h"

namespace sotto::entropy {

// Takes exactly length_bytes from the source or fails: ENTROPY_SHORT when it wrote fewer,
// ENTROPY_STUCK when a byte or a word repeats beyond chance, the port's own ENTROPY_... status, and
// ENTROPY_FAILED for any other answer. The bytes are zeroed on failure.
sotto_status gather(const sotto_entropy &source, uint8_t *bytes, size_t length_bytes);

// The repetition count test of NIST SP 800-90B 4.4.1 over bytes, and over words of 2, 4 and 8 that
// a driver may have read again before the next was ready: 30 bytes that each repeat an earlier one
// come from a source of at least 1 bit a byte with a probability below 2^-30 a byte.
inline constexpr size_t repetition_cutoff = 30;
inline constexpr size_t repetition_period_max = 8;

} // namespace sotto::entropy
#endif
