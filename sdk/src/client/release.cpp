// SPDX-License-Identifier: Apache-2.0
#include "client/account.hpp"
#include "client/client_code.hpp"
#include "client/entry.hpp"
#include "client/internal.hpp"

using namespace sotto;
using namespace sotto::device;

// Calls on a release that is made.
namespace {

sotto_status relax(const sotto_client &client, const sotto_metric &metric, uint32_t epoch,
                   uint8_t level) {
    sotto_release *const first = find_release(client, metric, epoch);
    if (first == nullptr) {
        return SOTTO_ERR_NO_RELEASE;
    }
    const auto next = [&](sotto_release *last) {
        return find_release(client, metric, epoch, last);
    };
    charge more(client, metric, age_of(client, *first));
    bool is_below = false;
    for (sotto_release *at = first; at != nullptr; at = next(at)) {
        if (at->level < level) {
            more.add(at->level + 1u, level + 1u);
            is_below = true;
        }
    }
    if (!is_below) {
        return SOTTO_ERR_LEVEL_NOT_ABOVE;
    }
    if (!more.fits()) {
        return SOTTO_ERR_BUDGET;
    }
    more.keep();
    for (sotto_release *at = first; at != nullptr; at = next(at)) {
        if (at->level < level) {
            at->level = level;
            at->pending = static_cast<uint16_t>(at->pending | 1u << level);
        }
    }
    return SOTTO_OK;
}

} // namespace

sotto_status device::check_active(const sotto_client &client) {
    if (client.has_epoch == 0) {
        return SOTTO_ERR_NO_EPOCH;
    }
    return is_paused(client) ? SOTTO_ERR_PAUSED : SOTTO_OK;
}

static void forget_new(const sotto_client &client) {
    for (uint32_t i = 0; i < client.memory.release_capacity; ++i) {
        sotto_release &release = client.memory.releases[i];
        release.flags = static_cast<uint8_t>(release.flags & ~new_in_batch);
    }
}

void device::close(sotto_client &client, sotto_release &release) {
    client.to_erase = is_open(release) ? 2 : client.to_erase;
    if (release.batch != 0 && (release.flags & new_in_batch) != 0) {
        forget_new(client); // the batch's other ids no longer follow from its seed
    }
    wipe_words(release_words(client, release), client.memory.words_per_release);
    crypto::wipe(&release, sizeof release);
}

void device::close_what_is_done(sotto_client &client) {
    for (uint32_t i = 0; i < client.memory.release_capacity; ++i) {
        sotto_release &release = client.memory.releases[i];
        if (is_open(release) && is_done(client, release)) {
            close(client, release);
        }
    }
}

extern "C" sotto_status sotto_relax(sotto_client *client, uint16_t metric_id, uint32_t epoch,
                                    uint8_t level) {
    entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    const sotto_status status = check_active(*client);
    if (status != SOTTO_OK) {
        return status;
    }
    const sotto_metric *metric = find(*client->registry, metric_id);
    if (metric == nullptr) {
        return SOTTO_ERR_UNKNOWN_METRIC;
    }
    const uint32_t count =
        metric->level_count + (is_forward_by_relaxing(*metric) ? metric->forward_count : 0u);
    if (count == 1) {
        return SOTTO_ERR_NO_LADDER;
    }
    if (level >= count) {
        return SOTTO_ERR_NO_SUCH_LEVEL;
    }
    return relax(*client, *metric, epoch, level);
}

extern "C" sotto_status sotto_close(sotto_client *client, uint16_t metric_id, uint32_t epoch) {
    entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    const sotto_metric *metric = find(*client->registry, metric_id);
    if (metric == nullptr) {
        return SOTTO_ERR_UNKNOWN_METRIC;
    }
    sotto_release *release = find_release(*client, *metric, epoch);
    if (release == nullptr) {
        return SOTTO_ERR_NO_RELEASE;
    }
    while (release != nullptr) {
        close(*client, *release);
        release = find_release(*client, *metric, epoch, release);
    }
    return save_both(*client);
}

extern "C" sotto_status sotto_get_release(const sotto_client *client, size_t index,
                                          sotto_release_info *info) {
    const entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    if (info == nullptr) {
        return SOTTO_ERR_ARGUMENT;
    }
    for (uint32_t i = 0; i < client->memory.release_capacity; ++i) {
        const sotto_release &release = client->memory.releases[i];
        if (is_open(release) && index-- == 0) {
            *info = {release.epoch, release.metric_id, release.pending, release.batch,
                     release.level};
            return SOTTO_OK;
        }
    }
    return SOTTO_ERR_NO_RELEASE;
}
