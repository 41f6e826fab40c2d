// SPDX-License-Identifier: Apache-2.0
#include "mechanism/randomized_response.hpp"

#include "random/bernoulli.hpp"

namespace sotto {

sotto_status randomized_response(const sotto_metric &metric, uint32_t level, uint32_t value,
                                 random_bytes random, uint32_t *published) {
    *published = 0;
    if (metric.mechanism != SOTTO_MECHANISM_RANDOMIZED_RESPONSE) {
        return SOTTO_ERR_WRONG_TYPE;
    }
    if (level >= metric.level_count || random.size < bernoulli_bytes * metric.level_count) {
        return SOTTO_ERR_ARGUMENT;
    }
    const sotto_threshold *flip = metric.table.randomized_response->flip;
    uint32_t bit = value & 1;
    for (uint32_t i = metric.level_count; i-- > level;) {
        bit ^= bernoulli(flip[i], random.data + bernoulli_bytes * i);
    }
    *published = bit;
    return SOTTO_OK;
}

} // namespace sotto
