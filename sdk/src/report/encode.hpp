// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_REPORT_ENCODE_HPP
#define SOTTO_REPORT_ENCODE_HPP

#include "sotto/sotto.h"

#include <pb_encode.h>

namespace sotto::report {

// A batch is padded to a multiple of this, so that its length shows less of what is in it.
inline constexpr size_t padding_bytes = 64;

// Sizes in a sealed envelope.
inline constexpr size_t enc_bytes = 32;
inline constexpr size_t tag_bytes = 16;

// A flag of a report: a request selected among such releases by their value below.
inline constexpr uint32_t flag_selected = 1;

// A report without its value.
struct head {
    const sotto_metric *metric;
    const uint8_t *id; // SOTTO_RELEASE_ID_BYTES
    uint32_t level;
    uint32_t epoch_age;
    uint32_t cohort; // written for strings only
    uint32_t flags = 0;
    uint32_t rows = 0; // rows that closed, where rows are shown
};

// Bytes of a report in its batch. Depends on public tables, level and epochs only: every value has
// a fixed width.
size_t report_bytes(const head &h);

// Bytes of one length-delimited envelope with so many bytes of reports, sealed unless key is null.
size_t envelope_bytes(const sotto_registry &registry, const sotto_seal_key *key, uint32_t epoch,
                      size_t reports_bytes);

// Where in the buffer sealing has to work: sotto_seal_function says on what.
struct sealable {
    const uint8_t *header;
    size_t header_bytes;
    uint8_t *enc;
    uint8_t *text;
    size_t text_bytes;
};

// Writes one length-delimited envelope into the caller's buffer: the reports announced in the
// beginning, then finish(). With a key it is then ready to be sealed, and still plain; without,
// done. sdk/proto/WIRE.md shows the bytes.
class envelope {
  public:
    envelope(const sotto_registry &registry, const sotto_seal_key *key, uint32_t epoch,
             size_t reports_bytes, uint8_t *buffer, size_t capacity_bytes);

    // words: value_words of the metric, as published.
    void add(const head &h, const uint32_t *words);

    // The length, or 0 when something did not fit.
    size_t finish();

    // For a finished one that was made with a key.
    sealable to_seal() const;

  private:
    pb_ostream_t out_;
    uint8_t *buffer_;
    size_t header_at_, enc_at_, text_at_, text_bytes_, gap_bytes_;
    bool is_sealed_, ok_;
};

} // namespace sotto::report
#endif
