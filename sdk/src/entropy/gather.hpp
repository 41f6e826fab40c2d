// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_ENTROPY_GATHER_HPP
#define SOTTO_ENTROPY_GATHER_HPP

#include "sotto/sotto.h"

namespace sotto::entropy {

// Forgets what was known of the source and puts a raw one to the start-up test. Errors: ARGUMENT
// when what the source says of itself can't be, and as below, but never ENTROPY_DEAD.
sotto_status start(const sotto_entropy &source, sotto_entropy_health &health);

// Fills bytes[0 .. length_bytes), a multiple of 32, for a seed. Every 32 of them are the SHA-256 of
// samples with a claimed min-entropy of 576 bits. These are twice what comes out, and 64 bits more
// (NIST SP 800-90C's margin for full entropy). The samples may not repeat in a cycle of 64 or
// fewer, and no seed may be the one before. A raw source is tested sample by sample besides. After
// an error the bytes are zeroed. Errors: ENTROPY_SHORT when the source wrote fewer bytes than
// asked. ENTROPY_STUCK when it repeats beyond chance, and ENTROPY_BIASED. ENTROPY_DEAD for good
// when a raw one does either beyond all doubt. The source's own ENTROPY_... status; ENTROPY_FAILED
// for any other answer; CRYPTO.
sotto_status gather(const sotto_entropy &source, sotto_entropy_health &health, uint8_t *bytes,
                    size_t length_bytes);

} // namespace sotto::entropy
#endif
