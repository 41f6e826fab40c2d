// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_LIBRARY_ERROR_HPP
#define SOTTO_CRYPTO_LIBRARY_ERROR_HPP

#include <stdint.h>

namespace sotto::crypto {

// Keeps the library's own code of a failure for sotto_get_crypto_error(); 0 is no failure, and
// changes nothing.
void keep_library_error(int32_t code);

} // namespace sotto::crypto
#endif
