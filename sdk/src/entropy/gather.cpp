// SPDX-License-Identifier: Apache-2.0
#include "entropy/gather.hpp"

#include "crypto/hash.hpp"
#include "crypto/wipe.hpp"
#include "entropy/health.hpp"
#include "random/fixed_time.hpp"

namespace sotto::entropy {
namespace {

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

// Does a run of so many samples repeat those of 1 to period_max before them? They become a seed:
// only the verdict may show.
bool is_cycle(const uint8_t *samples, size_t count, uint32_t cutoff) {
    mask found = 0;
    for (size_t period = 1; period <= period_max; ++period) {
        uint32_t repeated = 0;
        for (size_t i = period; i < count; ++i) {
            repeated = (repeated + 1) & equal(samples[i], samples[i - period]);
            found |= ~less(repeated, cutoff);
        }
    }
    return declassified(found) != 0;
}

// All samples are looked at, also behind one that failed: a fault that lasts shows as such.
sotto_status test_all(const sotto_entropy &source, sotto_entropy_health &health,
                      const uint8_t *samples, size_t count) {
    const cutoffs &at = *cutoffs_for(source);
    const bool repeats = is_cycle(samples, count, at.repetition[1] - 1u);
    sotto_status status = repeats ? SOTTO_ERR_ENTROPY_STUCK : SOTTO_OK;
    if (source.source != SOTTO_SOURCE_RAW) {
        return status;
    }
    uint32_t too_wide = 0;
    for (size_t i = 0; i < count; ++i) {
        too_wide |= static_cast<uint32_t>(samples[i]) >> source.sample_bits;
        const sotto_status result = test(source, at, health, samples[i]);
        status = status == SOTTO_OK ? result : status;
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

sotto_status hash_samples(const sotto_entropy &source, sotto_entropy_health &health, uint8_t *bytes,
                          size_t length_bytes) {
    sotto_status status = SOTTO_OK;
    for (size_t done = 0; status == SOTTO_OK && done < length_bytes; done += crypto::digest_bytes) {
        status = condition(source, health, bytes + done);
    }
    return status;
}

// Four bytes that are those of the seed before come by chance with a probability of 2^-32.
bool is_last_seed(sotto_entropy_health &health, const uint8_t *seed) {
    const uint32_t now = load32(seed);
    const mask again = equal(now, health.last_seed);
    health.last_seed = now;
    return declassified(again) != 0;
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
    sotto_status status = health.is_dead != 0 ? sotto_status{SOTTO_ERR_ENTROPY_DEAD}
                                              : hash_samples(source, health, bytes, length_bytes);
    if (status == SOTTO_OK && is_last_seed(health, bytes)) {
        status = SOTTO_ERR_ENTROPY_STUCK;
    }
    if (health.is_dead != 0) {
        status = SOTTO_ERR_ENTROPY_DEAD;
    }
    if (status != SOTTO_OK) {
        crypto::wipe(bytes, length_bytes);
    }
    return status;
}

} // namespace sotto::entropy
