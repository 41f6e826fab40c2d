// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_CLIENT_CODE_HPP
#define SOTTO_CLIENT_CLIENT_CODE_HPP

#include "crypto/hash.hpp"
#include "sotto/sotto.h"

// The client's part of a mechanism that owns state, acts on epochs, or makes its levels in a way of
// its own. A metric's tables name the row, so that a program without such a mechanism does not link
// it. A part that a row must have is a reference: a row without it does not compile.
namespace sotto {

// Levels that are not drawn from the one above alone.
struct second_stage {
    // As derive() of derive.hpp, from the release's words, which stand in `words`.
    sotto_status (&derive)(const sotto_client &client, const sotto_release &release, uint32_t level,
                           uint32_t *words);
    // Are levels above the ladder drawn from words that the device has, so that relaxing reaches
    // them? Otherwise the value has to be given again.
    bool (&is_forward_by_relaxing)(const sotto_metric &metric);
};

// Noise that stays with a value, so that all releases of the metric share it. Their costs are no
// sums, and are kept in the metric's account alone, for the device's budget too.
struct lasting_noise {
    // 32 bytes that key the noise of the metric's values.
    const uint8_t *(&definition)(const sotto_metric &metric);
    // The digest of a category, as of a string: its noise goes by it. Errors: CRYPTO.
    sotto_status (&digest)(const sotto_client &client, const sotto_metric &metric,
                           uint32_t category, uint8_t digest[crypto::digest_bytes]);
    // All ones: the state has the value, or room for it. Otherwise zero.
    uint32_t (&is_admissible)(const sotto_client &client, const sotto_metric &metric,
                              const uint32_t tag[2]);
    // A published value enters the state.
    void (&admit)(const sotto_client &client, const sotto_metric &metric, const uint32_t tag[2]);
    // A slot with so many more releases at a level.
    uint32_t (&charged)(uint32_t slot, uint32_t count, uint32_t level);
    // The cost of slots together.
    uint64_t (&cost)(const sotto_metric &metric, const uint32_t *slots, uint32_t epochs);
};

} // namespace sotto

struct sotto_client_code {
    // Words of state in the account of a metric, stored with it: an even number, the same for the
    // same definition. They begin as zeros. A firmware without the metric can't read them: it takes
    // epochs with a charge as spent.
    uint32_t (&state_words)(const sotto_metric &metric);
    // Words of memory.rows: never stored, zeros after every start.
    uint32_t (&row_words)(const sotto_metric &metric);
    // Called by sotto_advance(), behind all else; again in the same epoch after an error of any
    // metric. Null: nothing is done.
    sotto_status (*on_epoch)(sotto_client &client, const sotto_metric &metric);
    const sotto::second_stage *stage;    // null: levels are derived as all are
    const sotto::lasting_noise *lasting; // null: each release has its own
    // Does the row go with the metric's other tables?
    bool (&is_sound)(const sotto_metric &metric);
};

namespace sotto {

inline uint32_t no_words(const sotto_metric &) { return 0; }

inline uint32_t state_words_of(const sotto_metric &metric) {
    return metric.client == nullptr ? 0 : metric.client->state_words(metric);
}

inline uint32_t row_words_of(const sotto_metric &metric) {
    return metric.client == nullptr ? 0 : metric.client->row_words(metric);
}

inline const second_stage *stage_of(const sotto_metric &metric) {
    return metric.client == nullptr ? nullptr : metric.client->stage;
}

inline bool is_forward_by_relaxing(const sotto_metric &metric) {
    const second_stage *stage = stage_of(metric);
    return stage != nullptr && stage->is_forward_by_relaxing(metric);
}

const lasting_noise *lasting_of(const sotto_metric &metric); // account.cpp

// The metric's own words of memory.rows; null: there are too few.
inline uint32_t *rows_of(const sotto_client &client, const sotto_metric &metric) {
    uint32_t before = 0;
    for (const sotto_metric *at = client.registry->metrics; at != &metric; ++at) {
        before += row_words_of(*at);
    }
    const bool fits = before + row_words_of(metric) <= client.memory.row_words;
    return fits ? client.memory.rows + before : nullptr;
}

} // namespace sotto
#endif
