// SPDX-License-Identifier: Apache-2.0
// One step of X25519's ladder, its exchange included, and the encoding of its result. The rest is
// public counts of the same steps, products and squares.
#include "crypto/x25519_fiat.cpp"
#include "traced.hpp"

namespace sotto::crypto {
namespace {

[[gnu::noinline]] void exchange_and_step(ladder &l, uint32_t bit) {
    exchange_points(l, bit);
    step(l);
}

[[gnu::noinline]] void encode(uint8_t out[x25519_bytes], const tight &t) {
    fiat_25519_to_bytes(out, t.limbs);
}

// Any tight element: 26 and 25 bits in turn.
tight element(const uint8_t *random) {
    tight t = {};
    for (size_t i = 0; i < limb_count; ++i) {
        t.limbs[i] = load32(random + 4 * i) & (i % 2 == 0 ? 0x3ffffffu : 0x1ffffffu);
    }
    return t;
}

} // namespace
} // namespace sotto::crypto

extern "C" {

void trace_all(void) {
    using namespace sotto::crypto;
    for (uint32_t run = 0; run < runs; ++run) {
        fill(run);
        ladder l = {element(noise), element(noise + 40), element(noise + 80), element(noise + 120),
                    element(noise + 160)};
        trace_begin(1, 0, run);
        exchange_and_step(l, run & 1);
        trace_end();
        uint8_t out[x25519_bytes];
        trace_begin(1, 1, run);
        encode(out, l.x_2);
        trace_end();
        sink = out[0];
        trace_controls(run);
    }
}

int main(void) {
    trace_all();
    return 0;
}
}
