// SPDX-License-Identifier: Apache-2.0
#include "entropy/gather.hpp"

#include "crypto/hash.hpp"
#include "crypto/wipe.hpp"
#include "entropy/health.hpp"
#include "random/fixed_time.hpp"

namespace sotto::entropy {
namespace {

constexpr size_t chunk_samples = 48; // a multiple of what RP2350 gives at a time

sotto_status read(const sotto_entropy &source, uint8_t *bytes, size_t length_bytes) {
    crypto::wipe(bytes, length_bytes);
    const int32_t answer = source.read(source.context, bytes, length_bytes);
    if (answer < 0) {
        const bool named = answer <= SOTTO_ERR_ENTROPY_FAILED && answer >= SOTTO_ERR_ENTROPY_DEAD;
        return named ? answer : sotto_status{SOTTO_ERR_ENTROPY_FAILED};
    }
    const size_t written = static_cast<size_t>(answer);
    return written == length_bytes  ? SOTTO_OK
           : written < length_bytes ? SOTTO_ERR_ENTROPY_SHORT
                                    : SOTTO_ERR_ENTROPY_FAILED;
}

// Does a run of so many bytes repeat those of 1, 2, 4, ... before them? The bytes become a seed:
// only the verdict may show.
bool is_cycle(const uint8_t *bytes, size_t length_bytes, size_t first_period, size_t last_period,
              uint32_t cutoff) {
    mask found = 0;
    for (size_t period = first_period; period <= last_period; period *= 2) {
        uint32_t repeated = 0;
        for (size_t i = period; i < length_bytes; ++i) {
            repeated = (repeated + 1) & equal(bytes[i], bytes[i - period]);
            found |= ~less(repeated, cutoff);
        }
    }
    return declassified(found) != 0;
}

// All samples are looked at, also behind one that failed: a fault that lasts shows as such.
sotto_status test_all(const sotto_entropy &source, sotto_entropy_health &health,
                      const uint8_t *samples, size_t count) {
    const cutoffs &at = *cutoffs_for(source);
    // Within a chunk, a source that runs in a circle as often as a sample may repeat itself.
    const bool is_round = is_cycle(samples, count, 2, 16, at.repetition[0] - 1u);
    sotto_status status = is_round ? SOTTO_ERR_ENTROPY_STUCK : SOTTO_OK;
    uint32_t too_wide = 0;
    for (size_t i = 0; i < count; ++i) {
        too_wide |= static_cast<uint32_t>(samples[i]) >> source.sample_bits;
        const sotto_status one = test(source, at, health, samples[i]);
        status = status == SOTTO_OK ? one : status;
    }
    return declassified(too_wide) != 0 ? sotto_status{SOTTO_ERR_ENTROPY_FAILED} : status;
}

// Samples that were read and tested, a chunk at a time.
struct sampling {
    const sotto_entropy &source;
    sotto_entropy_health &health;
    size_t left;
    sotto_status status = SOTTO_OK;
    bool is_labelled = false;
    uint8_t chunk[chunk_samples] = {};

    ~sampling() { crypto::wipe(chunk, sizeof chunk); }

    bool next(crypto::bytes *part) {
        if (left == 0) {
            return false;
        }
        const size_t now = left < chunk_samples ? left : chunk_samples;
        left -= now;
        status = read(source, chunk, now);
        if (status == SOTTO_OK) {
            status = test_all(source, health, chunk, now);
        }
        *part = {chunk, now};
        return status == SOTTO_OK;
    }
};

bool label_then_samples(void *context, crypto::bytes *part) {
    static const char label[] = "\x10sotto entropy v1";
    auto &samples = *static_cast<sampling *>(context);
    if (samples.is_labelled) {
        return samples.next(part);
    }
    samples.is_labelled = true;
    *part = {label, sizeof label - 1};
    return true;
}

sotto_status condition(const sotto_entropy &source, sotto_entropy_health &health,
                       uint8_t digest[crypto::digest_bytes]) {
    sampling samples = {source, health, cutoffs_for(source)->block_samples};
    const sotto_status status = crypto::sha256(label_then_samples, &samples, digest);
    return samples.status == SOTTO_OK ? status : samples.status;
}

sotto_status check_start(const sotto_entropy &source, sotto_entropy_health &health) {
    if (cutoffs_for(source) == nullptr) {
        return SOTTO_ERR_ARGUMENT;
    }
    sampling samples = {source, health, startup_samples};
    for (crypto::bytes part = {}; samples.next(&part);) {
    }
    return samples.status;
}

sotto_status gather_raw(const sotto_entropy &source, sotto_entropy_health &health, uint8_t *bytes,
                        size_t length_bytes) {
    uint8_t digest[crypto::digest_bytes];
    sotto_status status = health.is_dead != 0 ? SOTTO_ERR_ENTROPY_DEAD : SOTTO_OK;
    for (size_t done = 0; status == SOTTO_OK && done < length_bytes; done += sizeof digest) {
        status = condition(source, health, digest);
        for (size_t i = 0; status == SOTTO_OK && i < sizeof digest && done + i < length_bytes;
             ++i) {
            bytes[done + i] = digest[i];
        }
    }
    crypto::wipe(digest, sizeof digest);
    return health.is_dead != 0 ? sotto_status{SOTTO_ERR_ENTROPY_DEAD} : status;
}

} // namespace

sotto_status start(const sotto_entropy &source, sotto_entropy_health &health) {
    crypto::wipe(&health, sizeof health);
    switch (source.source) {
    case SOTTO_SOURCE_CSPRNG:
    case SOTTO_SOURCE_CONDITIONED:
        return SOTTO_OK;
    case SOTTO_SOURCE_RAW:
        return check_start(source, health);
    default:
        return SOTTO_ERR_ARGUMENT;
    }
}

sotto_status gather(const sotto_entropy &source, sotto_entropy_health &health, uint8_t *bytes,
                    size_t length_bytes) {
    sotto_status status;
    if (source.source == SOTTO_SOURCE_RAW) {
        status = gather_raw(source, health, bytes, length_bytes);
    } else {
        status = read(source, bytes, length_bytes);
        if (status == SOTTO_OK &&
            is_cycle(bytes, length_bytes, 1, repetition_period_max, repetition_cutoff)) {
            status = SOTTO_ERR_ENTROPY_STUCK;
        }
    }
    if (status != SOTTO_OK) {
        crypto::wipe(bytes, length_bytes);
    }
    return status;
}

} // namespace sotto::entropy
