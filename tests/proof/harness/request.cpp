// SPDX-License-Identifier: Apache-2.0
// A request of any bytes. The reader of varints goes from any place in any 512 bytes; decoding and
// selecting use nothing else to read. Each step keeps "at + left is the end", and comes nearer to
// it, so that loops over a message end.
#define private public // the reader's own two members
#include "report/decode_request.cpp"
#undef private

#include "proof.h"

using sotto::report::reader;

extern "C" void prove() {
    constexpr size_t room = sotto::report::request_bytes_max;
    uint8_t bytes[room]; // any bytes
    const size_t left = proof_any();
    proof_assume(left <= room);
    const uint8_t *const at = bytes + (room - left);
    reader in(at, left);
    uint32_t value = 0;
    const uint8_t *piece = nullptr;
    size_t length = 0;
    const uint32_t step = proof_any();
    if (step == 0) {
        const bool is_read =
            in.field(proof_any() & 0x1f, static_cast<sotto::report::wire_type>(proof_any() & 7));
        proof_assert(in.left_ == left - (is_read ? 1 : 0));
    } else if (step == 1) {
        (void)in.number(value);
        proof_assert(left == 0 || in.left_ < left);
    } else if (step == 2) {
        const bool is_read = in.fixed(value);
        proof_assert(in.left_ == left - (is_read ? 4 : 0));
    } else if (in.piece(piece, length)) {
        proof_read(piece, length);
        proof_assert(piece >= at && piece + length == bytes + room - in.left_);
    }
    proof_assert(in.left_ <= left && in.at_ + in.left_ == bytes + room);
}
