// SPDX-License-Identifier: Apache-2.0
#include "seal/key.hpp"

namespace sotto::seal {

const sotto_seal_key *key_for(const sotto_sealing &sealing, uint32_t epoch) {
    for (uint16_t i = sealing.key_count; i-- > 0;) {
        if (epoch <= sealing.keys[i].last_epoch) {
            return &sealing.keys[i];
        }
    }
    return nullptr;
}

} // namespace sotto::seal
