// SPDX-License-Identifier: Apache-2.0
// A whole request of any 512 bytes, as far as its body and its signature. The body has a harness of
// its own.
#include "proof.h"

#include "report/decode_request.cpp"

using namespace sotto::report;

extern "C" void prove() {
    uint8_t bytes[request_bytes_max]; // any bytes
    const size_t length = proof_any();
    proof_assume(length <= sizeof bytes);
    const uint8_t *const at = bytes + (sizeof bytes - length);
    request decoded = {};
    if (decode_request(at, length, decoded)) {
        proof_read(decoded.signature, signature_bytes);
        if (decoded.body_bytes != 0) {
            proof_read(decoded.body, decoded.body_bytes);
        }
    }
}
