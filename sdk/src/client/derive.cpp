// SPDX-License-Identifier: Apache-2.0
#include "client/derive.hpp"

#include "client/client_code.hpp"
#include "client/internal.hpp"
#include "mechanism/ladder.hpp"

namespace sotto::device {

sotto_status derive_below(const sotto_client &client, const sotto_metric &metric, uint32_t level,
                          const uint8_t *key, crypto::purpose what_for, uint32_t *words) {
    const size_t size = level_bytes(metric, level);
    crypto::stream stream(key, what_for, level);
    sotto_status status = SOTTO_OK;
    for (uint32_t i = 0; status == SOTTO_OK && i < metric.value_words; ++i) {
        status = stream.read(client.memory.random, size);
        if (status == SOTTO_OK) {
            status = draw_word(metric, level, i, words[i], {client.memory.random, size}, &words[i]);
        }
    }
    return status;
}

sotto_status derive(const sotto_client &client, const sotto_release &release, uint32_t level,
                    uint32_t *words) {
    const sotto_metric &metric = metric_of(client, release);
    const uint32_t *top = release_words(client, release);
    for (uint32_t i = 0; i < metric.value_words; ++i) {
        words[i] = top[i];
    }
    sotto_status status = SOTTO_OK;
    if (const second_stage *stage = stage_of(metric)) {
        status = stage->derive(client, release, level, words);
    } else if (level < metric.level_count) { // above it, the words are what was published
        const release_key key(release);
        for (uint32_t i = metric.level_count - 1u; status == SOTTO_OK && i-- > level;) {
            status = derive_below(client, metric, i, key.bytes, crypto::purpose::ladder, words);
        }
    }
    crypto::wipe(client.memory.random, client.memory.random_bytes);
    for (uint32_t i = 0; i < metric.value_words; ++i) {
        words[i] = published_word(metric, words[i]);
    }
    if (status != SOTTO_OK) {
        wipe_words(words, metric.value_words);
    }
    return status;
}

} // namespace sotto::device
