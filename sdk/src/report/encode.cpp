// SPDX-License-Identifier: Apache-2.0
#include "report/encode.hpp"

#include "mechanism/code.hpp"
#include "report.pb.h"

namespace sotto::report {
namespace {

constexpr uint32_t wire_version = 1;

bool put_varint(pb_ostream_t *out, uint32_t tag, uint32_t value) {
    return pb_encode_tag(out, PB_WT_VARINT, tag) && pb_encode_varint(out, value);
}

// proto3: a zero is not written. Only for what is public.
bool put_public(pb_ostream_t *out, uint32_t tag, uint32_t value) {
    return value == 0 || put_varint(out, tag, value);
}

bool put_fixed32(pb_ostream_t *out, uint32_t tag, uint32_t value) {
    return pb_encode_tag(out, PB_WT_32BIT, tag) && pb_encode_fixed32(out, &value);
}

bool put_bytes(pb_ostream_t *out, uint32_t tag, const uint8_t *bytes, size_t length_bytes) {
    return pb_encode_tag(out, PB_WT_STRING, tag) && pb_encode_string(out, bytes, length_bytes);
}

// The low end of the words first, whatever the machine's own order. Null words are for sizing.
bool put_words(pb_ostream_t *out, uint32_t tag, const uint32_t *words, size_t length_bytes) {
    if (!pb_encode_tag(out, PB_WT_STRING, tag) || !pb_encode_varint(out, length_bytes)) {
        return false;
    }
    for (size_t at = 0; at < length_bytes; at += 4) {
        const uint32_t word = words == nullptr ? 0 : words[at / 4];
        const uint8_t bytes[4] = {static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8),
                                  static_cast<uint8_t>(word >> 16),
                                  static_cast<uint8_t>(word >> 24)};
        const size_t rest = length_bytes - at;
        if (!pb_write(out, bytes, rest < 4 ? rest : 4)) {
            return false;
        }
    }
    return true;
}

// A state that somebody wrote may say more rows than there are words.
size_t row_bytes(const head &h) {
    return size_t{4} * (h.rows < h.metric->value_words ? h.rows : h.metric->value_words);
}

// A null value has the size of any other.
bool put_value(pb_ostream_t *out, const head &h, const uint32_t *words) {
    const sotto_metric &metric = *h.metric;
    const uint32_t first = words == nullptr ? 0 : words[0];
    switch (metric.code->shows) {
    case shown::bits:
        return put_words(out, sotto_Report_bits_tag, words, (metric.code->size(metric) + 7) / 8);
    case shown::numbers:
        return metric.type == SOTTO_TYPE_VECTOR
                   ? put_words(out, sotto_Report_numbers_tag, words, size_t{4} * metric.value_words)
                   : put_fixed32(out, sotto_Report_number_tag, first);
    case shown::rows:
        return put_words(out, sotto_Report_numbers_tag, words, row_bytes(h));
    case shown::index:
        break;
    }
    return put_fixed32(out, sotto_Report_index_tag, first);
}

bool put_content(pb_ostream_t *out, const head &h, const uint32_t *words) {
    // Cohorts are told apart from metrics that have none by the field's presence.
    return put_bytes(out, sotto_Report_release_tag, h.id, SOTTO_RELEASE_ID_BYTES) &&
           put_varint(out, sotto_Report_metric_tag, h.metric->id) &&
           put_public(out, sotto_Report_level_tag, h.level) &&
           put_public(out, sotto_Report_epoch_age_tag, h.epoch_age) &&
           (h.metric->code->strings == nullptr ||
            put_fixed32(out, sotto_Report_cohort_tag, h.cohort)) &&
           put_public(out, sotto_Report_flags_tag, h.flags) && put_value(out, h, words);
}

size_t content_bytes(const head &h) {
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    (void)put_content(&sizing, h, nullptr);
    return sizing.bytes_written;
}

bool put_report(pb_ostream_t *out, const head &h, const uint32_t *words) {
    return pb_encode_tag(out, PB_WT_STRING, sotto_Batch_reports_tag) &&
           pb_encode_varint(out, content_bytes(h)) && put_content(out, h, words);
}

size_t batch_bytes(uint32_t epoch, size_t reports_bytes) {
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    (void)put_public(&sizing, sotto_Batch_epoch_tag, epoch);
    return sizing.bytes_written + reports_bytes;
}

// A padding field is its tag, its length (one byte each) and the zeros: 2 to 65 bytes.
size_t padded(size_t length_bytes) {
    const size_t rest = length_bytes % padding_bytes;
    if (rest == 0) {
        return length_bytes;
    }
    const size_t gap = padding_bytes - rest;
    return length_bytes + (gap >= 2 ? gap : gap + padding_bytes);
}

bool put_zeros(pb_ostream_t *out, size_t length_bytes) {
    constexpr uint8_t zero = 0;
    while (length_bytes > 0 && pb_write(out, &zero, 1)) {
        --length_bytes;
    }
    return length_bytes == 0;
}

// The fields before the batch or before enc; sealed, they are the associated data.
bool put_header(pb_ostream_t *out, const sotto_registry &registry, const sotto_seal_key *key) {
    return put_varint(out, sotto_Envelope_version_tag, wire_version) &&
           put_fixed32(out, sotto_Envelope_registry_tag, registry.fingerprint) &&
           (key == nullptr || put_varint(out, sotto_Envelope_key_id_tag, key->id));
}

// From the header to the batch's own bytes, with zeros for enc.
bool put_until_batch(pb_ostream_t *out, const sotto_seal_key *key, size_t padded_bytes) {
    if (key == nullptr) {
        return pb_encode_tag(out, PB_WT_STRING, sotto_Envelope_batch_tag) &&
               pb_encode_varint(out, padded_bytes);
    }
    return pb_encode_tag(out, PB_WT_STRING, sotto_Envelope_enc_tag) &&
           pb_encode_varint(out, enc_bytes) && put_zeros(out, enc_bytes) &&
           pb_encode_tag(out, PB_WT_STRING, sotto_Envelope_ciphertext_tag) &&
           pb_encode_varint(out, padded_bytes + tag_bytes);
}

// An envelope's bytes, without its length before them.
size_t envelope_content_bytes(const sotto_registry &registry, const sotto_seal_key *key,
                              size_t padded_bytes) {
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    (void)(put_header(&sizing, registry, key) && put_until_batch(&sizing, key, padded_bytes));
    return sizing.bytes_written + padded_bytes + (key == nullptr ? 0 : tag_bytes);
}

} // namespace

size_t report_bytes(const head &h) {
    const size_t content = content_bytes(h);
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    (void)pb_encode_varint(&sizing, content);
    return 1 + sizing.bytes_written + content; // a tag of one byte
}

size_t envelope_bytes(const sotto_registry &registry, const sotto_seal_key *key, uint32_t epoch,
                      size_t reports_bytes) {
    const size_t content =
        envelope_content_bytes(registry, key, padded(batch_bytes(epoch, reports_bytes)));
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    (void)pb_encode_varint(&sizing, content);
    return sizing.bytes_written + content;
}

envelope::envelope(const sotto_registry &registry, const sotto_seal_key *key, uint32_t epoch,
                   size_t reports_bytes, uint8_t *buffer, size_t capacity_bytes)
    : out_(pb_ostream_from_buffer(buffer, capacity_bytes)), buffer_(buffer), is_sealed_(key) {
    const size_t batch = batch_bytes(epoch, reports_bytes);
    text_bytes_ = padded(batch);
    gap_bytes_ = text_bytes_ - batch;
    ok_ = pb_encode_varint(&out_, envelope_content_bytes(registry, key, text_bytes_));
    header_at_ = out_.bytes_written;
    ok_ = ok_ && put_header(&out_, registry, key);
    enc_at_ = out_.bytes_written + 2; // a tag and a length of one byte each
    ok_ = ok_ && put_until_batch(&out_, key, text_bytes_);
    text_at_ = out_.bytes_written;
    ok_ = ok_ && put_public(&out_, sotto_Batch_epoch_tag, epoch);
}

void envelope::add(const head &h, const uint32_t *words) {
    ok_ = ok_ && put_report(&out_, h, words);
}

size_t envelope::finish() {
    ok_ = ok_ &&
          (gap_bytes_ == 0 ||
           (pb_encode_tag(&out_, PB_WT_STRING, sotto_Batch_padding_tag) &&
            pb_encode_varint(&out_, gap_bytes_ - 2) && put_zeros(&out_, gap_bytes_ - 2))) &&
          (!is_sealed_ || put_zeros(&out_, tag_bytes));
    return ok_ ? out_.bytes_written : 0;
}

sealable envelope::to_seal() const {
    return {buffer_ + header_at_, enc_at_ - 2 - header_at_, buffer_ + enc_at_, buffer_ + text_at_,
            text_bytes_};
}

} // namespace sotto::report
