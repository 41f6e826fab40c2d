// SPDX-License-Identifier: Apache-2.0
#include "crypto/wipe.hpp"

#include <mbedtls/platform_util.h>

namespace sotto::crypto {

void wipe(void *memory, size_t length_bytes) { mbedtls_platform_zeroize(memory, length_bytes); }

} // namespace sotto::crypto
