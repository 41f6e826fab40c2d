// SPDX-License-Identifier: Apache-2.0
#include "client/account.hpp"
#include "client/entry.hpp"
#include "client/internal.hpp"
#include "mechanism/rappor.hpp"

using namespace sotto;
using namespace sotto::device;

// What may become of a release once it is made.
namespace {

template <typename Visit>
void for_each_release(const sotto_client &client, const sotto_metric &metric, uint32_t epoch,
                      Visit visit) {
    sotto_release *release = find_release(client, metric, epoch);
    while (release != nullptr) {
        const auto place = static_cast<uint32_t>(release - client.memory.releases);
        visit(*release);
        release = find_release(client, metric, epoch, place + 1);
    }
}

sotto_status relax(const sotto_client &client, const sotto_metric &metric, uint32_t epoch,
                   uint8_t level) {
    uint64_t cost = 0; // of all of them it may not fit 32 bits
    uint32_t age = 0;
    bool is_there = false, is_below = false;
    for_each_release(client, metric, epoch, [&](const sotto_release &release) {
        is_there = true;
        if (release.level < level) {
            const uint32_t more = cost_of_raising(client, metric, release.level, level);
            // Permanent noise is paid for once, whatever number of releases shows more of it.
            cost = metric.cost_reports != 0 ? more : cost + more;
            age = age_of(client, release);
            is_below = true;
        }
    });
    if (!is_there) {
        return SOTTO_ERR_NO_RELEASE;
    }
    if (!is_below) {
        return SOTTO_ERR_LEVEL_NOT_ABOVE;
    }
    if (cost > UINT32_MAX || !spend(client, metric, age, static_cast<uint32_t>(cost))) {
        return SOTTO_ERR_BUDGET;
    }
    account_of(client, metric.id).raise_level(level);
    for_each_release(client, metric, epoch, [&](sotto_release &release) {
        if (release.level < level) {
            release.level = level;
            release.pending = static_cast<uint16_t>(release.pending | 1u << level);
        }
    });
    return SOTTO_OK;
}

} // namespace

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
    if (client->has_epoch == 0) {
        return SOTTO_ERR_NO_EPOCH;
    }
    if (is_paused(*client)) {
        return SOTTO_ERR_PAUSED;
    }
    const sotto_metric *metric = find(*client->registry, metric_id);
    if (metric == nullptr) {
        return SOTTO_ERR_UNKNOWN_METRIC;
    }
    const uint32_t count = metric->level_count + (is_rappor(*metric) ? metric->forward_count : 0u);
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
    bool is_there = false;
    for_each_release(*client, *metric, epoch, [&](sotto_release &release) {
        close(*client, release);
        is_there = true;
    });
    if (!is_there) {
        return SOTTO_ERR_NO_RELEASE;
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
