// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_CLIENT_CODE_HPP
#define SOTTO_CLIENT_CLIENT_CODE_HPP

#include "mechanism/code.hpp"
#include "sotto/sotto.h"

// The client's part of a mechanism that owns state. A row of sotto_code names it, so that a program
// without such a mechanism does not link it. A part that is forgotten does not compile.
struct sotto::client_code {
    // Words of state in the account of a metric, stored with it: an even number, the same for the
    // same definition. They begin as zeros.
    uint32_t (&state_words)(const sotto_metric &metric);
    // A published value enters the state.
    void (&admit)(const sotto_client &client, const sotto_metric &metric, const uint32_t tag[2]);
    // As derive() of derive.hpp, from the release's words, which stand in `words`.
    sotto_status (&derive)(const sotto_client &client, const sotto_release &release, uint32_t level,
                           uint32_t *words);
    // With cost_reports, costs are no sums: a slot with so many more releases at a level, and what
    // slots cost together.
    uint32_t (&charged)(uint32_t slot, uint32_t count, uint32_t level);
    uint64_t (&cost)(const sotto_metric &metric, const uint32_t *slots, uint32_t epochs);
};

namespace sotto {

inline uint32_t state_words_of(const sotto_metric &metric) {
    return metric.code->client == nullptr ? 0 : metric.code->client->state_words(metric);
}

} // namespace sotto
#endif
