// SPDX-License-Identifier: Apache-2.0
#include "report/encode.hpp"

#include "mechanism/code.hpp"
#include "report.pb.h"

namespace sotto::report {
namespace {

constexpr uint32_t wire_version = 2;
constexpr uint32_t row_count_bits = 16;

size_t varint_bytes(uint32_t value) {
    size_t bytes = 1;
    while (value > 0x7f) {
        value >>= 7;
        ++bytes;
    }
    return bytes;
}

// A field with a tag of one byte; nothing at all where it is empty.
size_t field_bytes(size_t length_bytes) {
    return length_bytes == 0 ? 0
                             : 1 + varint_bytes(static_cast<uint32_t>(length_bytes)) + length_bytes;
}

// Bytes that do not fit are not written: finish() then misses them.
void put_varint(pb_ostream_t *out, uint32_t tag, uint32_t value) {
    pb_encode_tag(out, PB_WT_VARINT, tag);
    pb_encode_varint(out, value);
}

void put_fixed32(pb_ostream_t *out, uint32_t tag, uint32_t value) {
    pb_encode_tag(out, PB_WT_32BIT, tag);
    pb_encode_fixed32(out, &value);
}

void put_length(pb_ostream_t *out, uint32_t tag, size_t length_bytes) {
    pb_encode_tag(out, PB_WT_STRING, tag);
    pb_encode_varint(out, length_bytes);
}

void put_byte(pb_ostream_t *out, uint32_t byte) {
    const auto low = static_cast<uint8_t>(byte);
    pb_write(out, &low, 1);
}

// The low end of the words first, whatever the machine's own order.
void put_words(pb_ostream_t *out, const uint32_t *words, size_t length_bytes) {
    for (size_t at = 0; at < length_bytes; ++at) {
        put_byte(out, words[at / 4] >> 8 * (at % 4));
    }
}

// Bits that tell so many values apart, 1 at least.
uint32_t bits_for(uint32_t values) {
    uint32_t bits = 1;
    for (uint32_t rest = values < 2 ? 0 : (values - 1) >> 1; rest != 0; rest >>= 1) {
        ++bits;
    }
    return bits;
}

uint32_t cohort_bits(const sotto_metric &metric) {
    const string_code *strings = metric.code->strings;
    return strings == nullptr ? 0 : bits_for(strings->cohorts(metric));
}

// A value is an index, or whole bytes behind it: never both.
uint32_t index_bits(const sotto_metric &metric) {
    switch (metric.code->shows) {
    case shown::index:
        return bits_for(metric.code->size(metric));
    case shown::rows:
        return row_count_bits;
    case shown::bits:
    case shown::numbers:
        break;
    }
    return 0;
}

size_t value_bytes(const head &h) {
    const uint32_t words = h.metric->value_words;
    switch (h.metric->code->shows) {
    case shown::bits:
        return (h.metric->code->size(*h.metric) + 7) / 8;
    case shown::numbers:
        return size_t{4} * words;
    case shown::rows: // a state that somebody wrote may say more rows than there are words
        return size_t{4} * (h.rows < words ? h.rows : words);
    case shown::index:
        break;
    }
    return 0;
}

void put_zeros(pb_ostream_t *out, size_t length_bytes) {
    while (length_bytes-- > 0) {
        put_byte(out, 0);
    }
}

// The associated data of a sealed batch: the version, the registry's fingerprint and the key's id.
// Each has a tag of one byte.
constexpr size_t header_bytes(bool is_sealed) { return 2 + 5 + (is_sealed ? 5 : 0); }

size_t content_bytes(const sotto_seal_key *key, size_t text_bytes) {
    return header_bytes(key != nullptr) +
           (key == nullptr ? field_bytes(text_bytes)
                           : field_bytes(enc_bytes) + field_bytes(text_bytes + tag_bytes));
}

} // namespace

void shape::add(const head &h) {
    ++count_;
    known_ += h.cells[flags] / flag_known;
    for (uint32_t i = 0; i < number_columns; ++i) {
        bytes_[i] += static_cast<uint32_t>(varint_bytes(h.cells[i]));
        any_[i] |= h.cells[i];
    }
    value_bits_ += cohort_bits(*h.metric) + index_bits(*h.metric);
    const size_t bytes = value_bytes(h);
    if (bytes > 0) {
        value_bits_ = ((value_bits_ + 7) & ~7u) + 8 * static_cast<uint32_t>(bytes);
    }
}

size_t shape::length_bytes(uint32_t column) const {
    if (column == values) {
        return (value_bits_ + 7) / 8;
    }
    if (column == releases) {
        return size_t{SOTTO_RELEASE_ID_BYTES} * known_;
    }
    return any_[column] == 0 ? 0 : bytes_[column];
}

size_t shape::batch_bytes() const {
    size_t bytes = epoch_ == 0 ? 0 : 1 + varint_bytes(epoch_);
    bytes += has_seed() ? 1 + seed_bytes : 0;
    for (uint32_t i = 0; i < column_count; ++i) {
        bytes += field_bytes(length_bytes(i));
    }
    return bytes;
}

// A padding field is its tag, its length (one byte each) and the zeros: 2 bytes or more. A step is
// a power of two.
size_t shape::padded_bytes(const sotto_registry &registry) const {
    const size_t length = batch_bytes(), step = registry.padding_bytes;
    const size_t gap = step == 0 ? 0 : (0 - length) & (step - 1);
    return length + gap + (gap == 1 ? step : 0);
}

size_t shape::envelope_bytes(const sotto_registry &registry, const sotto_seal_key *key) const {
    const size_t content = content_bytes(key, padded_bytes(registry));
    return varint_bytes(static_cast<uint32_t>(content)) + content;
}

envelope::envelope(const sotto_registry &registry, const sotto_seal_key *key, const shape &reports,
                   const uint8_t *seed, uint8_t *buffer, size_t capacity_bytes)
    : out_(pb_ostream_from_buffer(buffer, capacity_bytes)), reports_(reports), buffer_(buffer),
      is_sealed_(key != nullptr), length_bytes_(reports.envelope_bytes(registry, key)),
      text_bytes_(reports.padded_bytes(registry)) {
    const size_t content = content_bytes(key, text_bytes_);
    pb_encode_varint(&out_, content);
    header_at_ = length_bytes_ - content;
    put_varint(&out_, sotto_Envelope_version_tag, wire_version);
    put_fixed32(&out_, sotto_Envelope_registry_tag, registry.fingerprint);
    if (key == nullptr) {
        put_length(&out_, sotto_Envelope_batch_tag, text_bytes_);
    } else {
        put_fixed32(&out_, sotto_Envelope_key_id_tag, key->id);
        put_length(&out_, sotto_Envelope_enc_tag, enc_bytes);
        put_zeros(&out_, enc_bytes);
        put_length(&out_, sotto_Envelope_ciphertext_tag, text_bytes_ + tag_bytes);
    }
    text_at_ = out_.bytes_written;
    if (reports.epoch_ != 0) {
        put_varint(&out_, sotto_Batch_epoch_tag, reports.epoch_);
    }
    if (reports.has_seed()) {
        pb_encode_tag(&out_, PB_WT_64BIT, sotto_Batch_seed_tag);
        pb_write(&out_, seed, seed_bytes);
    }
}

bool envelope::begin(uint32_t column) {
    const size_t length = reports_.length_bytes(column);
    if (length != 0) {
        put_length(&out_, sotto_Batch_metrics_tag + column, length);
    }
    return length != 0;
}

void envelope::add(uint32_t column, const head &h, const uint32_t *words) {
    if (column == values) {
        put_value(h, words);
    } else if (column != releases) {
        pb_encode_varint(&out_, h.cells[column]);
    } else if (h.cells[flags] >= flag_known) {
        pb_write(&out_, h.id, SOTTO_RELEASE_ID_BYTES);
    }
}

// The lowest bit first.
void envelope::put_bits(uint32_t value, uint32_t bits) {
    for (; bits > 0; --bits, value >>= 1) {
        rest_ |= (value & 1) << rest_bits_;
        if (++rest_bits_ == 8) {
            align();
        }
    }
}

void envelope::align() {
    if (rest_bits_ != 0) {
        put_byte(&out_, rest_);
    }
    rest_ = rest_bits_ = 0;
}

void envelope::put_value(const head &h, const uint32_t *words) {
    put_bits(h.cohort, cohort_bits(*h.metric));
    const size_t bytes = value_bytes(h);
    const bool has_rows = h.metric->code->shows == shown::rows;
    put_bits(has_rows ? static_cast<uint32_t>(bytes / 4) : words[0], index_bits(*h.metric));
    if (bytes > 0) {
        align();
        put_words(&out_, words, bytes);
    }
}

size_t envelope::finish() {
    align();
    const size_t gap = text_bytes_ - reports_.batch_bytes();
    if (gap != 0) {
        put_length(&out_, sotto_Batch_padding_tag, gap - 2);
        put_zeros(&out_, gap - 2);
    }
    put_zeros(&out_, is_sealed_ ? tag_bytes : 0);
    return out_.bytes_written == length_bytes_ ? length_bytes_ : 0;
}

sealable envelope::to_seal() const {
    uint8_t *const header = buffer_ + header_at_;
    return {header, header_bytes(true), header + header_bytes(true) + 2, buffer_ + text_at_,
            text_bytes_};
}

} // namespace sotto::report
