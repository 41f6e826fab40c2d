// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_DERIVE_HPP
#define SOTTO_CLIENT_DERIVE_HPP

#include "crypto/stream.hpp"
#include "sotto/sotto.h"

namespace sotto::device {

// The published words of a release at a level, in words[0 .. value_words): the same again whenever
// it is asked, in any order. `words` is one of the work places. Errors: CRYPTO, words then wiped.
sotto_status derive(const sotto_client &client, const sotto_release &release, uint32_t level,
                    uint32_t *words);

// All words of one level, each from the word of the level above it in its place, with the bytes of
// one stream. Errors: CRYPTO.
sotto_status derive_below(const sotto_client &client, const sotto_metric &metric, uint32_t level,
                          const uint8_t *key, crypto::purpose what_for, uint32_t *words);

} // namespace sotto::device
#endif
