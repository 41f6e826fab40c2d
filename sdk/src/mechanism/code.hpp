// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_CODE_HPP
#define SOTTO_MECHANISM_CODE_HPP

#include "sotto/registry.h"

#include <stddef.h>
#include <stdint.h>

// All that tells one mechanism from another on a device: its row of functions and facts. A metric's
// tables name the row: a program links the mechanisms of its registry alone. No other file asks
// which mechanism a metric has. A part that a row must have is a reference: a row without it does
// not compile. Functions on values and noise take the same time for all of them.
namespace sotto {

// A report shows a value's index, a bit for each value, numbers, or the rows that closed in its
// epoch. The rows may be fewer than value_words.
enum class shown : uint8_t { index, bits, numbers, rows };

// The way to draw the steps above the ladder. The member of sotto_metric's `forward` that holds
// them has the same name; `windows` are in `support`, too.
enum class steps : uint8_t { none, bits, category, laplace, support, windows };

// A value as a call gave it.
struct given {
    const void *value; // by type: uint32_t of a category, uint16_t[count] of a set, int32_t[count]
    size_t count;
    uint8_t *bytes; // fresh randomness, rounding_bytes or a draw's; or the digest of a value with
                    // lasting noise, in whose place may come what that goes by
};

// A mechanism of strings, or of categories by the same hashes.
struct string_code {
    uint32_t (&cohorts)(const sotto_metric &metric);
    uint32_t (&max_bytes)(const sotto_metric &metric); // at most SOTTO_STRING_BYTES_MAX
};
inline constexpr size_t string_digest_bytes = 32;

// A mechanism in two stages: the ladder's words stay with the device, reports are drawn from them.
struct two_stages {
    // How many levels have reports that are drawn from words of their own.
    uint32_t (&levels)(const sotto_metric &metric);
    // Is the report at `level` drawn from the report at level + 1? Otherwise from its own words.
    bool (&is_chained)(const sotto_metric &metric, uint32_t level);
    size_t (&bytes)(const sotto_metric &metric, uint32_t level); // `draw` takes as many
    uint32_t (&draw)(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                     const uint8_t *random);
    // The distinct values whose words a device remembers. 0: all words are drawn anew, or there is
    // no list of those that are not.
    uint32_t (&values)(const sotto_metric &metric);
    // 32 bytes that key the words of a remembered value.
    const uint8_t *(&definition)(const sotto_metric &metric);
};

} // namespace sotto

// ladder.hpp calls the draws, once it has looked at their arguments.
struct sotto_code {
    uint8_t mechanism; // SOTTO_MECHANISM_...
    sotto::shown shows;
    sotto::steps forward;
    uint8_t rounding_bytes; // `encode` takes this much randomness, no more than `draw`
    // How many values a report can name: indices, or bits; 0: it names none.
    uint32_t (&size)(const sotto_metric &metric);
    // Writes a value as true words, zero before. Returns what the caller is told: 0, a positive
    // status, or SOTTO_ERR_NO_SUCH_VALUE. Null: of booleans, each its own word.
    uint32_t (*encode)(const sotto_metric &metric, const sotto::given &value, uint32_t *words);
    size_t (&level_bytes)(const sotto_metric &metric, uint32_t level);
    uint32_t (&draw)(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                     const uint8_t *random);
    // The word as it is published; null: as it is. Otherwise no level is drawn from a published
    // one.
    uint32_t (*published)(const sotto_metric &metric, uint32_t word);
    const sotto::string_code *strings; // null: it has none
    const sotto::two_stages *reports;  // null: a level publishes its own words
    // Are the metric's tables such as tools/sotto-registry writes?
    bool (&is_sound)(const sotto_metric &metric);
};

// A row for the steps above the ladder.
struct sotto_forward_code {
    sotto::steps kind;
    size_t (&bytes)(const sotto_metric &metric, uint32_t step);
    uint32_t (&draw)(const sotto_metric &metric, uint32_t step, uint32_t index, uint32_t last,
                     uint32_t true_word, const uint8_t *random);
    bool (&is_sound)(const sotto_metric &metric);
};

namespace sotto {

inline bool is_two_stage(const sotto_metric &metric) { return metric.code->reports != nullptr; }

} // namespace sotto
#endif
