// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_REPORT_ENCODE_HPP
#define SOTTO_REPORT_ENCODE_HPP

#include "sotto/sotto.h"

namespace sotto::report {

// A batch is padded to a multiple of this, so that its length shows less of what is in it.
inline constexpr size_t padding_bytes = 64;

// Bytes of one length-delimited plain envelope with the first `count` releases of the queue.
// Depends on public tables, epochs and the count only: every value has a fixed width.
size_t envelope_bytes(const sotto_registry &registry, uint32_t epoch, const sotto_release *queue,
                      size_t count);

// Writes that envelope and returns its length, or returns 0 with the buffer zeroed when it does not
// fit. sdk/proto/WIRE.md shows the bytes.
size_t write_envelope(const sotto_registry &registry, uint32_t epoch, const sotto_release *queue,
                      size_t count, uint8_t *buffer, size_t capacity_bytes);

} // namespace sotto::report
#endif
