// SPDX-License-Identifier: Apache-2.0
// A request's body of any 64 bytes, and its selection of any 8, with the questions that are asked
// of it later.
#include "proof.h"

#include "report/decode_request.cpp"

using namespace sotto::report;

extern "C" void prove() {
#ifdef BODY
    constexpr size_t room = 64;
#else
    constexpr size_t room = 8;
#endif
    uint8_t bytes[room]; // any bytes
    const size_t length = proof_any();
    proof_assume(length <= room);
    request decoded = {};
#ifdef BODY
    decoded.body = bytes + (room - length);
    decoded.body_bytes = length;
    if (decode_body(decoded) && decoded.select_bytes != 0) {
        proof_read(decoded.select, decoded.select_bytes);
    }
#else
    decoded.select = bytes + (room - length);
    decoded.select_bytes = length;
    if (is_rising(decoded.select, length)) {
        (void)decoded.selects(proof_any());
        (void)decoded.highest_selected();
    }
#endif
}
