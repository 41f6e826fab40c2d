// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_REPORT_ENCODE_HPP
#define SOTTO_REPORT_ENCODE_HPP

#include "sotto/sotto.h"

#include <pb_encode.h>

namespace sotto::report {

// A batch is padded to a multiple of this, so that its length shows less of what is in it.
inline constexpr size_t padding_bytes = 64;

// What a report says beside its value.
struct head {
    const sotto_metric *metric;
    const uint8_t *id; // SOTTO_RELEASE_ID_BYTES
    uint32_t level;
    uint32_t epoch_age;
    uint32_t cohort; // written for RAPPOR only
};

// Bytes of a report in its batch. Depends on public tables, level and epochs only: every value has
// a fixed width.
size_t report_bytes(const head &h);

// Bytes of one length-delimited plain envelope with so many bytes of reports.
size_t envelope_bytes(const sotto_registry &registry, uint32_t epoch, size_t reports_bytes);

// Writes one length-delimited plain envelope into the caller's buffer: the reports announced in the
// beginning, then finish(). sdk/proto/WIRE.md shows the bytes.
class envelope {
  public:
    envelope(const sotto_registry &registry, uint32_t epoch, size_t reports_bytes, uint8_t *buffer,
             size_t capacity_bytes);

    // words: value_words of the metric, as published.
    void add(const head &h, const uint32_t *words);

    // The length, or 0 when something did not fit.
    size_t finish();

  private:
    pb_ostream_t out_;
    size_t gap_bytes_;
    bool ok_;
};

} // namespace sotto::report
#endif
