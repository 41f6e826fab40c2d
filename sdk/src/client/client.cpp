// SPDX-License-Identifier: Apache-2.0
#include "sotto/sotto.h"

#include "client/derive.hpp"
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "client/registry_check.hpp"
#include "client/sealing.hpp"
#include "report/encode.hpp"

using namespace sotto;
using namespace sotto::device;

static_assert(sizeof(sotto_client::secret) == crypto::key_bytes);
static_assert(sizeof(sotto_release::key) == crypto::key_bytes);

namespace {

bool is_enough(const sotto_memory &memory, const memory_need &need) {
    return memory.next_epoch != nullptr && memory.releases != nullptr && memory.words != nullptr &&
           memory.random != nullptr && memory.release_capacity > 0 &&
           memory.words_per_release >= need.words && memory.random_bytes >= need.random_bytes &&
           memory.value_tag_count >= need.value_tags &&
           (need.value_tags == 0 || memory.value_tags != nullptr);
}

void wipe_memory(const sotto_registry &registry, const sotto_memory &memory) {
    const size_t places = memory.release_capacity + size_t{2};
    crypto::wipe(memory.next_epoch, registry.metric_count * sizeof *memory.next_epoch);
    crypto::wipe(memory.releases, memory.release_capacity * sizeof *memory.releases);
    crypto::wipe(memory.words, places * memory.words_per_release * sizeof *memory.words);
    crypto::wipe(memory.random, memory.random_bytes);
    if (memory.value_tag_count > 0) {
        crypto::wipe(memory.value_tags, memory.value_tag_count * size_t{SOTTO_VALUE_TAG_BYTES});
    }
}

sotto_status make_secret(sotto_client &client) {
    const sotto_status status = draw(client, client.secret, sizeof client.secret);
    return status == SOTTO_OK ? assign_cohort(client) : status;
}

// The place behind `last` in the registry's order, or release_capacity.
uint32_t next_pending(const sotto_client &client, uint32_t last) {
    const uint32_t capacity = client.memory.release_capacity;
    const auto rank = [&](uint32_t place) {
        return client.memory.releases[place].metric_index * capacity + place;
    };
    uint32_t next = capacity;
    for (uint32_t i = 0; i < capacity; ++i) {
        if (client.memory.releases[i].pending != 0 && (last == capacity || rank(i) > rank(last)) &&
            (next == capacity || rank(i) < rank(next))) {
            next = i;
        }
    }
    return next;
}

// In the registry's order, so that a batch does not show when what was measured. Stops when visit
// does; visit(release, level) may take the level off.
template <typename Visit> void for_each_pending(const sotto_client &client, Visit visit) {
    const uint32_t capacity = client.memory.release_capacity;
    uint32_t place = next_pending(client, capacity);
    while (place != capacity) {
        const uint32_t next = next_pending(client, place);
        sotto_release &release = client.memory.releases[place];
        const uint32_t pending = release.pending;
        for (uint32_t level = 0; pending >> level != 0; ++level) {
            if ((pending >> level & 1) != 0 && !visit(release, level)) {
                return;
            }
        }
        place = next;
    }
}

report::head head_of(const sotto_client &client, const sotto_release &release, uint32_t level) {
    const sotto_metric &metric = client.registry->metrics[release.metric_index];
    return {&metric, release_id(release), level, client.epoch - release.epoch,
            metric.mechanism == SOTTO_MECHANISM_RAPPOR ? cohort_of(client, metric) : 0};
}

struct batch_size {
    size_t count, bytes;
};

batch_size what_fits(const sotto_client &client, const sotto_seal_key *key, size_t capacity_bytes) {
    batch_size size = {0, 0};
    for_each_pending(client, [&](const sotto_release &release, uint32_t level) {
        const size_t more = size.bytes + report::report_bytes(head_of(client, release, level));
        if (report::envelope_bytes(*client.registry, key, client.epoch, more) > capacity_bytes) {
            return false;
        }
        size = {size.count + 1, more};
        return true;
    });
    return size;
}

sotto_status write_batch(const sotto_client &client, const batch_size &size,
                         report::envelope &envelope) {
    sotto_status status = SOTTO_OK;
    size_t left = size.count;
    uint32_t *words = work_words(client, 0);
    for_each_pending(client, [&](const sotto_release &release, uint32_t level) {
        if (left-- == 0) {
            return false;
        }
        status = derive(client, release, level, words);
        envelope.add(head_of(client, release, level), words);
        return status == SOTTO_OK;
    });
    wipe_words(words, client.memory.words_per_release);
    return status;
}

// What stands at the top of its ladder is of no further use.
void take_off(const sotto_client &client, size_t count) {
    for_each_pending(client, [&](sotto_release &release, uint32_t level) {
        if (count-- == 0) {
            return false;
        }
        release.pending = static_cast<uint16_t>(release.pending & ~(1u << level));
        const sotto_metric &metric = client.registry->metrics[release.metric_index];
        if (release.pending == 0 && level + 1u == metric.level_count + metric.forward_count) {
            close(client, release);
        }
        return true;
    });
}

} // namespace

extern "C" sotto_status sotto_init(sotto_client *client, const sotto_registry *registry,
                                   const sotto_port *port, const sotto_memory *memory) {
    if (is_live(client)) {
        return SOTTO_ERR_ALREADY_INITIALISED;
    }
    if (client == nullptr || registry == nullptr || port == nullptr || port->entropy == nullptr ||
        port->entropy->read == nullptr || memory == nullptr) {
        return SOTTO_ERR_ARGUMENT;
    }
    crypto::wipe(client, sizeof *client);
    memory_need need;
    sotto_status status = check_registry(*registry, need);
    if (status != SOTTO_OK) {
        return status;
    }
    if (!is_enough(*memory, need)) {
        return SOTTO_ERR_ARGUMENT;
    }
    client->registry = registry;
    client->port = *port;
    client->memory = *memory;
    client->epoch = no_epoch;
    wipe_memory(*registry, *memory);
    status = start_randomness(*client);
    if (status == SOTTO_OK) {
        status = make_secret(*client);
    }
    if (status == SOTTO_OK) {
        client->state = live_mark(client);
    } else {
        wipe_randomness(*client);
        crypto::wipe(client, sizeof *client);
    }
    return status;
}

extern "C" sotto_status sotto_advance(sotto_client *client, uint32_t epoch) {
    if (!is_live(client)) {
        return SOTTO_ERR_NOT_INITIALISED;
    }
    if (epoch == no_epoch || (client->epoch != no_epoch && epoch < client->epoch)) {
        return SOTTO_ERR_EPOCH_BACKWARD;
    }
    if (epoch == client->epoch) {
        return SOTTO_OK;
    }
    const sotto_status status = renew_randomness(*client);
    if (status == SOTTO_OK) {
        client->epoch = epoch;
    }
    return status;
}

extern "C" sotto_status sotto_relax(sotto_client *client, uint16_t metric_id, uint32_t epoch,
                                    uint8_t level) {
    if (!is_live(client)) {
        return SOTTO_ERR_NOT_INITIALISED;
    }
    const sotto_metric *metric = find(*client->registry, metric_id);
    if (metric == nullptr) {
        return SOTTO_ERR_UNKNOWN_METRIC;
    }
    if (metric->level_count == 1) {
        return SOTTO_ERR_NO_LADDER;
    }
    if (level >= metric->level_count) {
        return SOTTO_ERR_NO_SUCH_LEVEL;
    }
    sotto_release *release = find_release(*client, *metric, epoch);
    if (release == nullptr) {
        return SOTTO_ERR_NO_RELEASE;
    }
    if (level <= release->level) {
        return SOTTO_ERR_LEVEL_NOT_ABOVE;
    }
    release->level = level;
    release->pending = static_cast<uint16_t>(release->pending | 1u << level);
    return SOTTO_OK;
}

extern "C" size_t sotto_pending(const sotto_client *client) {
    size_t count = 0;
    if (is_live(client)) {
        for_each_pending(*client, [&](const sotto_release &, uint32_t) {
            ++count;
            return true;
        });
    }
    return count;
}

extern "C" sotto_status sotto_flush(sotto_client *client, uint8_t *buffer, size_t capacity_bytes,
                                    size_t *length_bytes) {
    if (length_bytes != nullptr) {
        *length_bytes = 0;
    }
    if (!is_live(client)) {
        return SOTTO_ERR_NOT_INITIALISED;
    }
    if (buffer == nullptr || length_bytes == nullptr) {
        return SOTTO_ERR_ARGUMENT;
    }
    if (next_pending(*client, client->memory.release_capacity) == client->memory.release_capacity) {
        return SOTTO_OK;
    }
    const sotto_seal_key *key;
    sotto_status status = choose_seal_key(*client, &key);
    const batch_size size = what_fits(*client, key, capacity_bytes);
    if (status == SOTTO_OK && size.count == 0) {
        status = SOTTO_ERR_BUFFER_TOO_SMALL;
    }
    if (status == SOTTO_OK) {
        report::envelope envelope(*client->registry, key, client->epoch, size.bytes, buffer,
                                  capacity_bytes);
        status = write_batch(*client, size, envelope);
        *length_bytes = envelope.finish();
        if (status == SOTTO_OK && *length_bytes == 0) {
            status = SOTTO_ERR_BUFFER_TOO_SMALL;
        }
        if (status == SOTTO_OK) {
            status = seal_batch(*client, key, envelope);
        }
    }
    if (status != SOTTO_OK) {
        *length_bytes = 0;
        crypto::wipe(buffer, capacity_bytes);
        return status;
    }
    take_off(*client, size.count);
    return SOTTO_OK;
}

extern "C" void sotto_wipe(sotto_client *client) {
    if (client == nullptr) {
        return;
    }
    if (is_live(client)) {
        wipe_memory(*client->registry, client->memory);
        wipe_randomness(*client);
    }
    crypto::wipe(client, sizeof *client);
}
