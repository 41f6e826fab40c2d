// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_REPORT_DECODE_REQUEST_HPP
#define SOTTO_REPORT_DECODE_REQUEST_HPP

#include <stddef.h>
#include <stdint.h>

namespace sotto::report {

inline constexpr size_t request_bytes_max = 512;
inline constexpr size_t signature_bytes = 64;

// An operator's request, where it stands: pointers are into the message.
struct request {
    uint32_t registry, metric, level, first_epoch, last_epoch, serial;
    const uint8_t *select; // varints, rising; none: everybody
    size_t select_bytes;
    const uint8_t *body; // the signed bytes
    size_t body_bytes;
    const uint8_t *signature;

    bool is_selective() const { return select_bytes != 0; }
    bool selects(uint32_t value) const;
    uint32_t highest_selected() const; // 0 when there is none
};

// Reads a Request in canonical form, of at most request_bytes_max; anything else is refused and
// leaves `decoded` as it may be. sdk/proto/WIRE.md says what that is. The message is public: time
// and branches depend on it.
bool decode_request(const uint8_t *bytes, size_t length_bytes, request &decoded);

} // namespace sotto::report
#endif
