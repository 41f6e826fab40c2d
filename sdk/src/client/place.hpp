// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_PLACE_HPP
#define SOTTO_CLIENT_PLACE_HPP

#include "client/internal.hpp"

namespace sotto::device {

// A place that is free, or else that of the oldest release with nothing to flush. One that is in
// the last batch is taken only if there is no other. Null: there is none. Static: called once in a
// file, it is smaller inline.
static inline sotto_release *find_place(const sotto_client &client) {
    sotto_release *oldest = nullptr;
    for (uint16_t i = 0; i < client.memory.release_capacity; ++i) {
        sotto_release &release = client.memory.releases[i];
        if (!is_open(release)) {
            return &release;
        }
        if (release.pending != 0) {
            continue;
        }
        const bool is_free = release.batch == 0;
        const bool was_free = oldest != nullptr && oldest->batch == 0;
        if (oldest == nullptr || (is_free && !was_free) ||
            (is_free == was_free && release.epoch < oldest->epoch)) {
            oldest = &release;
        }
    }
    return oldest;
}

} // namespace sotto::device
#endif
