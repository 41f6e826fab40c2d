// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_ENTROPY_GATHER_HPP
#define SOTTO_ENTROPY_GATHER_HPP

#include "sotto/sotto.h"

namespace sotto::entropy {

// Forgets what was known of the source and puts a raw one to the start-up test. Errors: ARGUMENT
// when what the source says of itself can't be, and as below, but never ENTROPY_DEAD.
sotto_status start(const sotto_entropy &source, sotto_entropy_health &health);

// Fills bytes[0 .. length_bytes) for a seed. A raw source is tested sample by sample, and every 32
// bytes are the SHA-256 of samples with a claimed min-entropy of 576 bits: twice what comes out,
// and 64 bits more (NIST SP 800-90C's margin for full entropy). Any other is taken as it is.
// Errors, and the bytes are zeroed: ENTROPY_SHORT when the source wrote fewer bytes than asked,
// ENTROPY_STUCK when it repeats beyond chance, ENTROPY_BIASED, ENTROPY_DEAD for good when either
// happens beyond all doubt, the source's own ENTROPY_... status, ENTROPY_FAILED for any other
// answer, CRYPTO.
sotto_status gather(const sotto_entropy &source, sotto_entropy_health &health, uint8_t *bytes,
                    size_t length_bytes);

// Of a source that is not raw: the repetition count test over bytes, and over words of 2, 4 and 8
// that a driver may have read again before the next was ready. 30 bytes that each repeat an earlier
// one come from a source of at least 1 bit a byte with a probability below 2^-30 a byte.
inline constexpr uint32_t repetition_cutoff = 30;
inline constexpr size_t repetition_period_max = 8;

} // namespace sotto::entropy
#endif
