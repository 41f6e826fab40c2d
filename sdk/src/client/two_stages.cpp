// SPDX-License-Identifier: Apache-2.0
#include "client/client_code.hpp"
#include "client/derive.hpp"
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "privacy/shared_noise.hpp"

namespace sotto::device {
namespace {

// A level of the second stage, fresh in every release.
sotto_status add_report(const sotto_client &client, const sotto_metric &metric, uint32_t level,
                        const uint8_t *key, uint32_t *words) {
    const two_stages &reports = *metric.code->reports;
    const size_t size = reports.bytes(metric, level);
    crypto::stream stream(key, crypto::purpose::instantaneous, level);
    sotto_status status = SOTTO_OK;
    for (uint32_t i = 0; status == SOTTO_OK && i < metric.value_words; ++i) {
        status = stream.read(client.memory.random, size);
        words[i] = reports.draw(metric, level, i, words[i], client.memory.random);
    }
    return status;
}

// The reports above the ladder, each from the one before it and the top's permanent bits.
sotto_status draw_reports_forward(const sotto_client &client, const sotto_metric &metric,
                                  const sotto_release &release, uint32_t level, uint32_t *words) {
    const uint32_t *permanent = release_words(client, release);
    const release_key key(release);
    sotto_status status = SOTTO_OK;
    for (uint32_t at = metric.level_count; status == SOTTO_OK && at <= level; ++at) {
        const uint32_t step = at - metric.level_count;
        const size_t size = forward_bytes(metric, step);
        crypto::stream stream(key.bytes, crypto::purpose::instantaneous, at);
        for (uint32_t i = 0; status == SOTTO_OK && i < metric.value_words; ++i) {
            status = stream.read(client.memory.random, size);
            if (status == SOTTO_OK) {
                status = draw_forward(metric, step, i, words[i], permanent[i],
                                      {client.memory.random, size}, &words[i]);
            }
        }
    }
    return status;
}

sotto_status derive_in_ladder(const sotto_client &client, const sotto_metric &metric,
                              const sotto_release &release, uint32_t level, uint32_t *words) {
    const release_key own(release);
    sotto_status status = SOTTO_OK;
    if (level + 1u < metric.level_count) {
        uint8_t key[crypto::key_bytes];
        const uint8_t *steps = own.bytes;
        if (lasting_of(metric) != nullptr) {
            status = steps_key(client, metric, release.value_tag, key);
            steps = key;
        }
        for (uint32_t i = metric.level_count - 1u; status == SOTTO_OK && i-- > level;) {
            status = derive_below(client, metric, i, steps, crypto::purpose::permanent, words);
        }
        crypto::wipe(key, sizeof key);
    }
    // A chained level starts from the report above it, whose permanent bits are the same.
    uint32_t from = level;
    while (metric.code->reports->is_chained(metric, from)) {
        ++from;
    }
    for (uint32_t i = from + 1; status == SOTTO_OK && i-- > level;) {
        status = add_report(client, metric, i, own.bytes, words);
    }
    return status;
}

bool are_reports_forward(const sotto_metric &metric) {
    return metric.code->reports->levels(metric) == metric.level_count;
}

sotto_status derive_two_stages(const sotto_client &client, const sotto_release &release,
                               uint32_t level, uint32_t *words) {
    const sotto_metric &metric = metric_of(client, release);
    const uint32_t last = metric.level_count - 1u;
    if (level > last && !are_reports_forward(metric)) { // the words are that level's
        return add_report(client, metric, level, release_key(release).bytes, words);
    }
    const sotto_status status =
        derive_in_ladder(client, metric, release, level < last ? level : last, words);
    return status == SOTTO_OK ? draw_reports_forward(client, metric, release, level, words)
                              : status;
}

uint64_t joint_cost(const sotto_metric &metric, const uint32_t *slots, uint32_t epochs) {
    const uint32_t levels = uint32_t{metric.level_count} + metric.forward_count;
    return ledger::joint_cost({metric.cost, levels, metric.cost_reports}, slots, epochs);
}

const uint8_t *definition(const sotto_metric &metric) {
    return metric.code->reports->definition(metric);
}

// A tag of two words each.
uint32_t state_words(const sotto_metric &metric) {
    return 2 * metric.code->reports->values(metric);
}

// Has it a list of values? Do its releases share noise?
bool is_two_stage_of(const sotto_metric &metric, bool has_list, bool is_shared) {
    return is_two_stage(metric) && (metric.code->reports->values(metric) > 0) == has_list &&
           (metric.cost_reports > 0) == is_shared;
}

bool is_fresh(const sotto_metric &metric) { return is_two_stage_of(metric, false, false); }
bool is_kept(const sotto_metric &metric) { return is_two_stage_of(metric, true, true); }
bool is_kept_by_hash(const sotto_metric &metric) {
    return is_two_stage_of(metric, false, true) && definition(metric) != nullptr;
}

// Hash values are few: none is ever one too many, and no list is kept.
uint32_t is_any(const sotto_client &, const sotto_metric &, const uint32_t *) { return ~0u; }
void forget(const sotto_client &, const sotto_metric &, const uint32_t *) {}

sotto_status digest_anywhere(const sotto_client &, const sotto_metric &, uint32_t category,
                             uint8_t digest[crypto::digest_bytes]) {
    return category_digest(category, digest);
}

// A category has the digest of a string of four bytes in its cohort.
sotto_status digest_in_cohort(const sotto_client &client, const sotto_metric &metric,
                              uint32_t category, uint8_t digest[crypto::digest_bytes]) {
    uint8_t bytes[4];
    put_big_endian(bytes, category);
    uint32_t too_long = 0;
    const sotto_status status =
        string_digest(sizeof bytes, cohort_of(client, metric),
                      reinterpret_cast<const char *>(bytes), sizeof bytes, digest, &too_long);
    crypto::wipe(bytes, sizeof bytes);
    return status;
}

constexpr second_stage stage = {derive_two_stages, are_reports_forward};
constexpr lasting_noise noise = {definition,  digest_anywhere,       is_admissible,
                                 admit_value, ledger::with_releases, joint_cost};
constexpr lasting_noise noise_by_hash = {definition, digest_in_cohort,      is_any,
                                         forget,     ledger::with_releases, joint_cost};

} // namespace
} // namespace sotto::device

using namespace sotto;
using namespace sotto::device;

const sotto_client_code sotto_client_code_two_stages = {no_words, no_words, nullptr,
                                                        &stage,   nullptr,  is_fresh};
const sotto_client_code sotto_client_code_kept_values = {state_words, no_words, nullptr,
                                                         &stage,      &noise,   is_kept};
const sotto_client_code sotto_client_code_kept_hashes = {no_words, no_words,       nullptr,
                                                         &stage,   &noise_by_hash, is_kept_by_hash};
