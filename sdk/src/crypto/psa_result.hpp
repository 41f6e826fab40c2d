// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CRYPTO_PSA_RESULT_HPP
#define SOTTO_CRYPTO_PSA_RESULT_HPP

#include "crypto/library_error.hpp"
#include "sotto/status.h"

#include <psa/crypto.h>

namespace sotto::crypto {

// A platform without an algorithm, or without a heap for its key, is told so by name.
inline sotto_status psa_result(psa_status_t status, sotto_status lacking) {
    keep_library_error(status);
    switch (status) {
    case PSA_SUCCESS:
        return SOTTO_OK;
    case PSA_ERROR_NOT_SUPPORTED:
        return lacking;
    case PSA_ERROR_INSUFFICIENT_MEMORY:
        return SOTTO_ERR_NO_HEAP;
    default:
        return SOTTO_ERR_CRYPTO;
    }
}

} // namespace sotto::crypto
#endif
