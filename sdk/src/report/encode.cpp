// SPDX-License-Identifier: Apache-2.0
#include "report/encode.hpp"

#include "crypto/wipe.hpp"

#include <pb_encode.h>

#include "report.pb.h"

namespace sotto::report {
namespace {

constexpr uint32_t wire_version = 1;

struct batch {
    const sotto_registry &registry;
    uint32_t epoch;
    const sotto_release *queue;
    size_t count;
};

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

bool put_report(pb_ostream_t *out, const batch &b, const sotto_release &release) {
    return put_bytes(out, sotto_Report_release_tag, release.id, SOTTO_RELEASE_ID_BYTES) &&
           put_varint(out, sotto_Report_metric_tag, b.registry.metrics[release.metric_index].id) &&
           put_public(out, sotto_Report_level_tag, release.level) &&
           put_public(out, sotto_Report_epoch_age_tag, b.epoch - release.epoch) &&
           put_fixed32(out, sotto_Report_index_tag, release.value);
}

size_t report_bytes(const batch &b, const sotto_release &release) {
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    (void)put_report(&sizing, b, release);
    return sizing.bytes_written;
}

// The length of a sub-message is written before it, so everything is sized first.
bool put_batch(pb_ostream_t *out, const batch &b) {
    bool ok = put_public(out, sotto_Batch_epoch_tag, b.epoch);
    for (size_t i = 0; ok && i < b.count; ++i) {
        ok = pb_encode_tag(out, PB_WT_STRING, sotto_Batch_reports_tag) &&
             pb_encode_varint(out, report_bytes(b, b.queue[i])) && put_report(out, b, b.queue[i]);
    }
    return ok;
}

size_t batch_bytes(const batch &b) {
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    (void)put_batch(&sizing, b);
    return sizing.bytes_written;
}

// A padding field is its tag, its length (one byte each) and the zeros.
size_t padded(size_t length_bytes) {
    const size_t rest = length_bytes % padding_bytes;
    if (rest == 0) {
        return length_bytes;
    }
    const size_t gap = padding_bytes - rest;
    return length_bytes + (gap >= 2 ? gap : gap + padding_bytes);
}

bool put_padding(pb_ostream_t *out, size_t gap_bytes) {
    static const uint8_t zeros[padding_bytes] = {};
    return gap_bytes == 0 || put_bytes(out, sotto_Batch_padding_tag, zeros, gap_bytes - 2);
}

bool put_envelope(pb_ostream_t *out, const batch &b) {
    const size_t content = batch_bytes(b);
    const size_t total = padded(content);
    return put_varint(out, sotto_Envelope_version_tag, wire_version) &&
           put_fixed32(out, sotto_Envelope_registry_tag, b.registry.fingerprint) &&
           pb_encode_tag(out, PB_WT_STRING, sotto_Envelope_batch_tag) &&
           pb_encode_varint(out, total) && put_batch(out, b) && put_padding(out, total - content);
}

bool put_delimited(pb_ostream_t *out, const batch &b) {
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    (void)put_envelope(&sizing, b);
    return pb_encode_varint(out, sizing.bytes_written) && put_envelope(out, b);
}

} // namespace

size_t envelope_bytes(const sotto_registry &registry, uint32_t epoch, const sotto_release *queue,
                      size_t count) {
    pb_ostream_t sizing = PB_OSTREAM_SIZING;
    (void)put_delimited(&sizing, {registry, epoch, queue, count});
    return sizing.bytes_written;
}

size_t write_envelope(const sotto_registry &registry, uint32_t epoch, const sotto_release *queue,
                      size_t count, uint8_t *buffer, size_t capacity_bytes) {
    pb_ostream_t out = pb_ostream_from_buffer(buffer, capacity_bytes);
    if (!put_delimited(&out, {registry, epoch, queue, count})) {
        crypto::wipe(buffer, capacity_bytes);
        return 0;
    }
    return out.bytes_written;
}

} // namespace sotto::report
