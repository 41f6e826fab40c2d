// SPDX-License-Identifier: Apache-2.0
#include "entropy/health.hpp"

#include "random/fixed_time.hpp"

namespace sotto::entropy {

static const cutoffs *next_lower(const cutoffs *table, size_t count, uint32_t millibits) {
    const cutoffs *found = nullptr;
    for (size_t i = 0; i < count && table[i].min_entropy_millibits <= millibits; ++i) {
        found = &table[i];
    }
    return found;
}

const cutoffs *cutoffs_for(const sotto_entropy &source) {
    constexpr size_t wide_count = sizeof wide_cutoffs / sizeof *wide_cutoffs;
    if (source.source != SOTTO_SOURCE_RAW) {
        return &wide_cutoffs[wide_count - 1];
    }
    const uint32_t claimed = source.min_entropy_millibits;
    if (source.sample_bits == 0 || source.sample_bits > 8 || claimed > source.sample_bits * 1000u) {
        return nullptr;
    }
    return source.sample_bits == 1
               ? next_lower(binary_cutoffs, sizeof binary_cutoffs / sizeof *binary_cutoffs, claimed)
               : next_lower(wide_cutoffs, wide_count, claimed);
}

// Samples become keys, so that only the verdict may show.
sotto_status test(const sotto_entropy &source, const cutoffs &at, sotto_entropy_health &health,
                  uint8_t sample) {
    const mask again = equal(sample, health.last);
    health.repetitions = static_cast<uint16_t>((health.repetitions & again) + 1);
    health.last = sample;
    if (health.window_left == 0) {
        health.window_left = source.sample_bits == 1 ? binary_window : window;
        health.first = sample;
        health.occurrences = 1;
    } else {
        const mask counted = equal(sample, health.first);
        health.occurrences = static_cast<uint16_t>(health.occurrences + (counted & 1));
    }
    --health.window_left;

    const auto reached = [&](int which) {
        const uint32_t stuck = ~less(health.repetitions, at.repetition[which]) & 1;
        const uint32_t biased = ~less(health.occurrences, at.proportion[which]) & 2;
        return declassified(stuck | biased);
    };
    if (reached(1) != 0) {
        health.is_dead = 1;
    }
    const uint32_t failed = reached(0);
    return (failed & 1) != 0   ? SOTTO_ERR_ENTROPY_STUCK
           : (failed & 2) != 0 ? SOTTO_ERR_ENTROPY_BIASED
                               : SOTTO_OK;
}

} // namespace sotto::entropy
