// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_INTERNAL_HPP
#define SOTTO_CLIENT_INTERNAL_HPP

#include "client/account.hpp"
#include "client/randomness.hpp"
#include "client/state.hpp"
#include "crypto/hash.hpp"
#include "crypto/stream.hpp"
#include "crypto/wipe.hpp"
#include "sotto/sotto.h"

// Shared by the parts of the client.
namespace sotto::device {

// Tied to the address: two copies of a client would share one generator and so their noise.
inline uint32_t live_mark(const sotto_client *client) {
    return 0x736f7474u ^ static_cast<uint32_t>(reinterpret_cast<uintptr_t>(client));
}
// 0: it is live. All ones: it is not usable, but known to be this device's, and status says why.
inline uint32_t mark_of(const sotto_client *client) {
    return client == nullptr ? 1 : client->state ^ live_mark(client);
}
inline bool is_live(const sotto_client *client) { return mark_of(client) == 0; }
inline bool is_blocked(const sotto_client *client) { return mark_of(client) == UINT32_MAX; }

inline bool is_paused(const sotto_client &client) {
    return (client.memory.head->flags & flag_paused) != 0;
}

// Is there an epoch, and no pause? Errors: NO_EPOCH, PAUSED.
sotto_status check_active(const sotto_client &client); // release.cpp

const sotto_metric *find(const sotto_registry &registry, uint16_t metric_id); // account.cpp

// Flags of a release. Its first level is among those that are pending, in the batch, in the batch
// before: its id is born there.
enum : uint8_t { release_open = 1, new_pending = 2, new_in_batch = 4, new_before = 8 };

inline bool is_open(const sotto_release &release) { return (release.flags & release_open) != 0; }

// From which level on a request's selection decided what was published; 0: none did. In the upper
// half of the flags: what was sent before must be the same when it is sent again.
inline uint32_t first_selected_level(const sotto_release &release) { return release.flags >> 4; }
// Counters and points: the rows that are published. Encoding passes it by for others.
inline uint32_t row_count(const sotto_release &release) { return release.value_tag[0]; }
inline void set_row_count(sotto_release &release, uint32_t rows) { release.value_tag[0] = rows; }
inline void set_first_selected_level(sotto_release &release, uint32_t level) {
    release.flags = static_cast<uint8_t>((release.flags & 0xf) | level << 4);
}

// The first open release of a metric and epoch, or the next one; null when there is none.
inline sotto_release *find_release(const sotto_client &client, const sotto_metric &metric,
                                   uint32_t epoch, sotto_release *last = nullptr) {
    sotto_release *const end = client.memory.releases + client.memory.release_capacity;
    for (sotto_release *at = last == nullptr ? client.memory.releases : last + 1; at != end; ++at) {
        if (is_open(*at) && at->epoch == epoch && at->metric_id == metric.id) {
            return at;
        }
    }
    return nullptr;
}

inline uint32_t *release_words(const sotto_client &client, const sotto_release &release) {
    return client.memory.words +
           static_cast<size_t>(&release - client.memory.releases) * client.memory.words_per_release;
}
// Two places for work, 0 and 1.
inline uint32_t *work_words(const sotto_client &client, size_t which) {
    return client.memory.work + which * client.memory.words_per_release;
}
inline void wipe_words(uint32_t *words, size_t count) { crypto::wipe(words, 4 * count); }

// The key of a release's streams: its seed, and zeros.
class release_key {
  public:
    explicit release_key(const sotto_release &release) {
        for (size_t i = 0; i < sizeof release.key; ++i) {
            bytes[i] = release.key[i];
        }
    }
    release_key(const release_key &) = delete;
    release_key &operator=(const release_key &) = delete;
    ~release_key() { crypto::wipe(bytes, sizeof bytes); }

    uint8_t bytes[crypto::key_bytes] = {};
};

inline const sotto_metric &metric_of(const sotto_client &client, const sotto_release &release) {
    return client.registry->metrics[release.metric_index];
}

inline uint32_t age_of(const sotto_client &client, const sotto_release &release) {
    return client.memory.head->epoch - release.epoch;
}

// Whether it is of no further use. Nothing waits, and nothing can be asked for again. Nothing can
// be added, since it stands at its highest level or its window has passed.
inline bool is_done(const sotto_client &client, const sotto_release &release) {
    if (release.pending != 0 || release.batch != 0) {
        return false;
    }
    const sotto_metric &metric = metric_of(client, release);
    const uint32_t window =
        metric.window_epochs != 0 ? metric.window_epochs : client.registry->window_epochs;
    return release.level + 1u == metric.level_count + metric.forward_count ||
           (window != 0 && age_of(client, release) >= window);
}

void close(sotto_client &client, sotto_release &release); // release.cpp
void close_what_is_done(sotto_client &client);            // release.cpp

inline void put_big_endian(uint8_t *target, uint32_t x) {
    for (size_t i = 0; i < 4; ++i) {
        target[i] = static_cast<uint8_t>(x >> (24 - 8 * i));
    }
}

} // namespace sotto::device
#endif
