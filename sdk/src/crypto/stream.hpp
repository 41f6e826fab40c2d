// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_STREAM_HPP
#define SOTTO_CRYPTO_STREAM_HPP

#include "crypto/hash.hpp"
#include "sotto/status.h"

#include <stddef.h>
#include <stdint.h>

namespace sotto::crypto {

inline constexpr size_t key_bytes = 32;

// A stream's purpose: the first eight bytes of its nonce.
enum class purpose {
    ladder,
    instantaneous,
    permanent,
    value_key,
    steps_key,
    cohort,
    rounding,
    permanent_forward,
    restart,
    batch_seed,
    new_ids
};

// The ChaCha20 key stream (RFC 8439) of a key, a purpose and a number: the same bytes whenever it
// is asked again. Nonce: the purpose's eight letters and the number, big-endian; counter from zero.
// Time depends on the sizes only. Errors: CRYPTO, bytes then zeroed.
class stream {
  public:
    stream(const uint8_t key[key_bytes], purpose what_for, uint32_t number);
    stream(const uint8_t key[key_bytes], const uint8_t nonce[12], uint32_t counter);
    // A pseudo-random function of a purpose, a number and a digest, of any length. prf() of the
    // digest's first half is the key, the other half nonce and counter.
    stream(const uint8_t key[key_bytes], purpose what_for, uint32_t number,
           const uint8_t digest[digest_bytes]);
    stream(const stream &) = delete;
    stream &operator=(const stream &) = delete;
    ~stream();

    sotto_status read(uint8_t *bytes, size_t length_bytes);

  private:
    void start(const uint8_t key[key_bytes], const uint8_t nonce[12], uint32_t counter);
    uint64_t context_[17]; // the backend's own
    bool ready_;
};

// A pseudo-random function of a purpose, a number and 16 bytes: ChaCha20's block function twice, as
// a cascade (Bellare, Canetti, Krawczyk 1996). The first 32 bytes of the stream of (key, purpose,
// number) are the key of the second block. The 16 bytes are its nonce and counter. Errors: CRYPTO,
// out then zeroed.
inline constexpr size_t prf_input_bytes = 16;
sotto_status prf(const uint8_t key[key_bytes], purpose what_for, uint32_t number,
                 const uint8_t input[prf_input_bytes], uint8_t out[key_bytes]);

} // namespace sotto::crypto
#endif
