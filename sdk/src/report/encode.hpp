// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_REPORT_ENCODE_HPP
#define SOTTO_REPORT_ENCODE_HPP

#include "sotto/sotto.h"

#include <pb_encode.h>

namespace sotto::report {

// Sizes in a sealed envelope.
inline constexpr size_t enc_bytes = 32;
inline constexpr size_t tag_bytes = 16;

// A reader takes none that is longer.
inline constexpr size_t envelope_bytes_max = size_t{1} << 20;

inline constexpr size_t seed_bytes = 8; // a batch's: its new releases' ids come from it

// Flags of a report. A request selected among such releases by their value below.
inline constexpr uint32_t flag_selected = 1;
// Its release had an id before this batch.
inline constexpr uint32_t flag_known = 2;

// The columns in the order of their fields: those of numbers first.
enum column : uint32_t { metrics, levels, epoch_ages, flags, releases, values };
inline constexpr uint32_t number_columns = releases, column_count = values + 1;

// A report without its value.
struct head {
    const sotto_metric *metric;
    const uint8_t *id;              // SOTTO_RELEASE_ID_BYTES
    uint32_t cells[number_columns]; // metrics: the metric's id less that of the report before
    uint32_t cohort;                // written for strings only
    uint32_t rows;                  // rows that closed, where rows are shown
};

// How long the fields of a batch are. Depends on public tables, levels and epochs only: every value
// has a fixed width.
class shape {
  public:
    explicit shape(uint32_t epoch) : epoch_(epoch) {}
    void add(const head &h); // in the order of the batch
    size_t count() const { return count_; }

    // One length-delimited envelope, sealed unless key is null.
    size_t envelope_bytes(const sotto_registry &registry, const sotto_seal_key *key) const;

  private:
    friend class envelope;
    bool has_seed() const { return count_ > known_; }
    size_t length_bytes(uint32_t column) const;
    size_t batch_bytes() const; // without padding
    size_t padded_bytes(const sotto_registry &registry) const;

    uint32_t epoch_;
    uint32_t bytes_[number_columns] = {}, any_[number_columns] = {};
    uint32_t count_ = 0, known_ = 0, value_bits_ = 0;
};

// Where in the buffer sealing has to work: sotto_seal_function says on what.
struct sealable {
    const uint8_t *header;
    size_t header_bytes;
    uint8_t *enc;
    uint8_t *text;
    size_t text_bytes;
};

// Writes one length-delimited envelope into the caller's buffer: a column after the other, then
// finish(). Each visits all reports of the shape. With a key it is then ready to be sealed, and
// still plain; without, done. sdk/proto/WIRE.md shows the bytes.
class envelope {
  public:
    envelope(const sotto_registry &registry, const sotto_seal_key *key, const shape &reports,
             const uint8_t *seed, uint8_t *buffer, size_t capacity_bytes);

    // False: the column is not there.
    bool begin(uint32_t column);
    // words: value_words of the metric, as published; read for the column of values alone.
    void add(uint32_t column, const head &h, const uint32_t *words);

    // The length, or 0 when it did not fit.
    size_t finish();

    // For a finished one that was made with a key.
    sealable to_seal() const;

  private:
    void put_value(const head &h, const uint32_t *words);
    void put_bits(uint32_t value, uint32_t bits);
    void align();

    pb_ostream_t out_;
    const shape &reports_;
    uint8_t *buffer_;
    const bool is_sealed_;
    const size_t length_bytes_, text_bytes_;
    size_t header_at_, text_at_;
    uint32_t rest_ = 0, rest_bits_ = 0; // bits of values that are no byte yet
};

} // namespace sotto::report
#endif
