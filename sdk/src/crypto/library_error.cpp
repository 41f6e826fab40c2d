// SPDX-License-Identifier: Apache-2.0
#include "crypto/library_error.hpp"

#include "sotto/sotto.h"

namespace sotto::crypto {
namespace {

int32_t last_error = 0;

} // namespace

void keep_library_error(int32_t code) {
    if (code != 0) {
        last_error = code;
    }
}

} // namespace sotto::crypto

extern "C" int32_t sotto_get_crypto_error() { return sotto::crypto::last_error; }
