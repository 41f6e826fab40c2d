// SPDX-License-Identifier: Apache-2.0
#include "entropy/gather.hpp"

#include "crypto/wipe.hpp"

namespace sotto::entropy {

static sotto_status verdict(int32_t answer, const uint8_t *bytes, size_t length_bytes) {
    if (answer < 0) {
        const bool named = answer <= SOTTO_ERR_ENTROPY_FAILED && answer >= SOTTO_ERR_ENTROPY_WEAK;
        return named ? answer : sotto_status{SOTTO_ERR_ENTROPY_FAILED};
    }
    const size_t written = static_cast<size_t>(answer);
    if (written != length_bytes) {
        return written < length_bytes ? sotto_status{SOTTO_ERR_ENTROPY_SHORT}
                                      : sotto_status{SOTTO_ERR_ENTROPY_FAILED};
    }
    for (size_t period = 1; period <= repetition_period_max; period *= 2) {
        size_t repeated = 0;
        for (size_t i = period; i < length_bytes; ++i) {
            repeated = bytes[i] == bytes[i - period] ? repeated + 1 : 0;
            if (repeated == repetition_cutoff) {
                return SOTTO_ERR_ENTROPY_STUCK;
            }
        }
    }
    return SOTTO_OK;
}

sotto_status gather(const sotto_entropy &source, uint8_t *bytes, size_t length_bytes) {
    crypto::wipe(bytes, length_bytes);
    const int32_t answer = source.read(source.context, bytes, length_bytes);
    const sotto_status status = verdict(answer, bytes, length_bytes);
    if (status != SOTTO_OK) {
        crypto::wipe(bytes, length_bytes);
    }
    return status;
}

} // namespace sotto::entropy
