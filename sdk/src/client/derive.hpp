// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_DERIVE_HPP
#define SOTTO_CLIENT_DERIVE_HPP

#include "sotto/sotto.h"

namespace sotto::device {

// What a release publishes at a level, in words[0 .. value_words): the same again whenever it is
// asked, in any order. `words` is one of the work places. Errors: CRYPTO, words then wiped.
sotto_status derive(const sotto_client &client, const sotto_release &release, uint32_t level,
                    uint32_t *words);

} // namespace sotto::device
#endif
