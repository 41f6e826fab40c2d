// SPDX-License-Identifier: Apache-2.0
// A source of randomness that answers anything, and says anything of itself: the next samples, with
// any number left. Each step leaves fewer, so that loops over samples end. Chunks of 6 samples and
// cycles of 3 stand for those of 384 and of 64: the loops are the same.
#define chunk_samples firmware_chunk_samples
#define period_max firmware_period_max
#include "entropy/health.hpp"
#undef chunk_samples
#undef period_max
namespace sotto::entropy {
inline constexpr size_t chunk_samples = 6, period_max = 3;
}
#include "entropy/gather.cpp"
#include "proof.h"

using namespace sotto;

namespace {

int32_t answer(void *, uint8_t *bytes, size_t length_bytes) {
    proof_write(bytes, length_bytes);
    return static_cast<int32_t>(proof_any());
}

sotto_entropy any_source() {
    sotto_entropy source = {};
    source.read = answer;
    source.source = static_cast<uint8_t>(proof_any());
    source.sample_bits = static_cast<uint8_t>(proof_any());
    source.min_entropy_millibits = static_cast<uint16_t>(proof_any());
    return source;
}

} // namespace

extern "C" void prove() {
    const sotto_entropy source = any_source();
    sotto_entropy_health health; // anything
    if (entropy::cutoffs_for(source) == nullptr) {
        proof_assert(source.source == SOTTO_SOURCE_RAW); // and start() refuses it
        return;
    }
    const size_t left = proof_any();
    entropy::sampling samples = {source, health, left};
    crypto::bytes part = {};
    if (samples.next(&part)) {
        proof_read(static_cast<const uint8_t *>(part.data), part.size);
        proof_assert(samples.left == left - part.size && part.size > 0);
    }
    proof_assert(samples.left <= left);
}
