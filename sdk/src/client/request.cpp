// SPDX-License-Identifier: Apache-2.0
#include "report/decode_request.hpp"

#include "client/account.hpp"
#include "client/derive.hpp"
#include "client/entry.hpp"
#include "client/internal.hpp"
#include "crypto/p256.hpp"
#include "mechanism/code.hpp"
#include "random/fixed_time.hpp"

using namespace sotto;
using namespace sotto::device;

// An operator's request. The verifier is called here alone, so that a program that never takes
// requests does not link it.
namespace {

bool is_signed(const sotto_registry &registry, const report::request &request) {
    static const char label[] = "\x10sotto request v1";
    const crypto::bytes parts[] = {{label, sizeof label - 1}, {request.body, request.body_bytes}};
    uint8_t digest[crypto::digest_bytes];
    return crypto::sha256(parts, 2, digest) == SOTTO_OK &&
           crypto::p256_verify(registry.request_key, digest, request.signature);
}

// How many values a selection can name: those of a metric that publishes an index.
uint32_t selectable(const sotto_metric &metric) {
    return metric.code->shows == shown::index ? metric.code->size(metric) : 0;
}

const sotto_metric *metric_of(const sotto_registry &registry, const report::request &request) {
    if (request.registry != registry.fingerprint || request.metric > UINT16_MAX) {
        return nullptr;
    }
    const sotto_metric *metric = find(registry, static_cast<uint16_t>(request.metric));
    const bool is_allowed =
        metric != nullptr && request.level <= metric->request_level &&
        (!request.is_selective() || request.highest_selected() < selectable(*metric));
    return is_allowed ? metric : nullptr;
}

bool is_replayed(const sotto_client &client, uint32_t serial) {
    const sotto_state_head &head = *client.memory.head;
    const uint32_t first = client.registry->request_serial;
    const bool is_lost = (head.flags & flag_serial_lost) != 0 && first <= head.request_serial;
    return is_lost || serial <= head.request_serial || serial <= first;
}

// Now, in one image with what was relaxed: a flag must not be lost because nothing waits.
sotto_status save_serial(sotto_client &client, uint32_t serial) {
    sotto_state_head &head = *client.memory.head;
    const uint32_t serial_before = head.request_serial, flags_before = head.flags;
    head.request_serial = serial;
    head.flags &= ~uint32_t{flag_serial_lost};
    const sotto_status status = save_state(client);
    if (status != SOTTO_OK) {
        head.request_serial = serial_before;
        head.flags = flags_before;
    }
    return status;
}

bool is_meant(const sotto_metric &metric, const report::request &request,
              const sotto_release &release) {
    return is_open(release) && release.metric_id == metric.id &&
           release.epoch >= request.first_epoch && release.epoch <= request.last_epoch &&
           release.level < request.level;
}

// Whether the request selects the release by its value. From here on a flag marks the levels above,
// selected or not: their publication is no longer by chance.
sotto_status select(const sotto_client &client, const report::request &request,
                    sotto_release &release, bool &is_selected) {
    uint32_t *words = work_words(client, 0);
    const sotto_status status = derive(client, release, release.level, words);
    is_selected = status == SOTTO_OK && request.selects(declassified(words[0])); // it was published
    wipe_words(words, client.memory.words_per_release);
    if (status == SOTTO_OK && first_selected_level(release) == 0) {
        set_first_selected_level(release, release.level + 1u);
    }
    return status;
}

sotto_status obey(const sotto_client &client, const sotto_metric &metric,
                  const report::request &request, sotto_request_result &result) {
    const auto level = static_cast<uint8_t>(request.level);
    for (uint32_t i = 0; i < client.memory.release_capacity; ++i) {
        sotto_release &release = client.memory.releases[i];
        if (!is_meant(metric, request, release)) {
            continue;
        }
        bool is_selected = true;
        if (request.is_selective()) {
            if ((release.pending >> release.level & 1) != 0) {
                ++result.unpublished;
                continue;
            }
            const sotto_status status = select(client, request, release, is_selected);
            if (status != SOTTO_OK) {
                return status;
            }
        }
        charge more(client, metric, age_of(client, release));
        more.add(release.level + 1u, level + 1u);
        if (!is_selected) {
            ++result.not_selected;
        } else if (!more.fits()) {
            ++result.over_budget;
        } else {
            more.keep();
            release.level = level;
            release.pending = static_cast<uint16_t>(release.pending | 1u << level);
            ++result.relaxed;
        }
    }
    return SOTTO_OK;
}

} // namespace

extern "C" sotto_status sotto_request(sotto_client *client, const uint8_t *bytes,
                                      size_t length_bytes, sotto_consent *consent, void *context,
                                      sotto_request_result *result) {
    sotto_request_result counted = {};
    if (result != nullptr) {
        *result = counted;
    }
    entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    if (bytes == nullptr) {
        return SOTTO_ERR_ARGUMENT;
    }
    sotto_status status = check_active(*client);
    if (status != SOTTO_OK) {
        return status;
    }
    const sotto_registry &registry = *client->registry;
    if (registry.request_key == nullptr) {
        return SOTTO_ERR_REQUEST_NOT_ALLOWED;
    }
    report::request request = {};
    if (!report::decode_request(bytes, length_bytes, request) || !is_signed(registry, request)) {
        return SOTTO_ERR_REQUEST_INVALID;
    }
    const sotto_metric *metric = metric_of(registry, request);
    if (metric == nullptr) {
        return SOTTO_ERR_REQUEST_NOT_ALLOWED;
    }
    if (is_replayed(*client, request.serial)) {
        return SOTTO_ERR_REQUEST_REPLAYED;
    }
    const sotto_request_info info = {request.serial,
                                     request.first_epoch,
                                     request.last_epoch,
                                     metric->id,
                                     static_cast<uint8_t>(request.level),
                                     request.is_selective()};
    if (consent != nullptr && !consent(context, &info)) {
        return SOTTO_ERR_REQUEST_REFUSED;
    }
    status = obey(*client, *metric, request, counted);
    if (status == SOTTO_OK) {
        status = save_serial(*client, request.serial);
    }
    if (result != nullptr) {
        *result = counted;
    }
    return status;
}
