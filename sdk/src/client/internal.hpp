// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_INTERNAL_HPP
#define SOTTO_CLIENT_INTERNAL_HPP

#include "client/randomness.hpp"
#include "crypto/hash.hpp"
#include "crypto/stream.hpp"
#include "crypto/wipe.hpp"
#include "sotto/sotto.h"

// What the parts of the client share.
namespace sotto::device {

inline constexpr uint32_t no_epoch = UINT32_MAX;

// Tied to the address: two copies of a client would share one generator and so their noise.
inline uint32_t live_mark(const sotto_client *client) {
    return 0x736f7474u ^ static_cast<uint32_t>(reinterpret_cast<uintptr_t>(client));
}
inline bool is_live(const sotto_client *client) {
    return client != nullptr && client->state == live_mark(client);
}

inline const sotto_metric *find(const sotto_registry &registry, uint16_t metric_id) {
    for (uint16_t i = 0; i < registry.metric_count; ++i) {
        if (registry.metrics[i].id == metric_id) {
            return &registry.metrics[i];
        }
    }
    return nullptr;
}

inline sotto_release *find_release(const sotto_client &client, const sotto_metric &metric,
                                   uint32_t epoch) {
    for (uint16_t i = 0; i < client.memory.release_capacity; ++i) {
        sotto_release &release = client.memory.releases[i];
        if (release.is_open != 0 && release.epoch == epoch &&
            &client.registry->metrics[release.metric_index] == &metric) {
            return &release;
        }
    }
    return nullptr;
}

inline bool is_rappor(const sotto_metric &metric) {
    return metric.mechanism == SOTTO_MECHANISM_RAPPOR ||
           metric.mechanism == SOTTO_MECHANISM_BASIC_RAPPOR;
}

// The words of a place; behind those of the releases there are two for work.
inline uint32_t *words_at(const sotto_client &client, size_t place) {
    return client.memory.words + place * client.memory.words_per_release;
}
inline uint32_t *release_words(const sotto_client &client, const sotto_release &release) {
    return words_at(client, static_cast<size_t>(&release - client.memory.releases));
}
inline uint32_t *work_words(const sotto_client &client, size_t which) {
    return words_at(client, client.memory.release_capacity + which);
}
inline void wipe_words(uint32_t *words, size_t count) { crypto::wipe(words, 4 * count); }

inline const uint8_t *release_id(const sotto_release &release) {
    return release.key + SOTTO_SEED_BYTES;
}

inline void close(const sotto_client &client, sotto_release &release) {
    wipe_words(release_words(client, release), client.memory.words_per_release);
    crypto::wipe(&release, sizeof release);
}

inline void put_big_endian(uint8_t *to, uint32_t x) {
    for (size_t i = 0; i < 4; ++i) {
        to[i] = static_cast<uint8_t>(x >> (24 - 8 * i));
    }
}

} // namespace sotto::device
#endif
