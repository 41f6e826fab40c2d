// SPDX-License-Identifier: Apache-2.0
#include "sotto/sotto.h"

#include "client/registry_check.hpp"
#include "crypto/drbg.hpp"
#include "crypto/wipe.hpp"
#include "entropy/gather.hpp"
#include "mechanism/randomized_response.hpp"
#include "report/encode.hpp"

using namespace sotto;

static_assert(sizeof(sotto_client::drbg) == crypto::drbg_state_bytes);

namespace {

constexpr uint32_t no_epoch = UINT32_MAX;

// Tied to the address: two copies of a client would share one generator and so their noise.
uint32_t live_mark(const sotto_client *client) {
    return 0x736f7474u ^ static_cast<uint32_t>(reinterpret_cast<uintptr_t>(client));
}

bool is_live(const sotto_client *client) {
    return client != nullptr && client->state == live_mark(client);
}

int entropy_for_drbg(void *context, unsigned char *bytes, size_t length_bytes) {
    auto *client = static_cast<sotto_client *>(context);
    client->entropy_status = entropy::gather(client->port, bytes, length_bytes);
    return client->entropy_status;
}

// The cause of a failed draw: what the port said, if it was the port.
sotto_status named_cause(const sotto_client &client, sotto_status status) {
    return status != SOTTO_OK && client.entropy_status != SOTTO_OK ? client.entropy_status : status;
}

sotto_status draw(sotto_client &client, uint8_t *bytes, size_t length_bytes) {
    return named_cause(client, crypto::drbg_generate(client.drbg, bytes, length_bytes));
}

const sotto_metric *find(const sotto_registry &registry, uint16_t metric_id) {
    for (uint16_t i = 0; i < registry.metric_count; ++i) {
        if (registry.metrics[i].id == metric_id) {
            return &registry.metrics[i];
        }
    }
    return nullptr;
}

// Everything that may refuse a measurement; none of it looks at the value.
sotto_status may_measure(const sotto_client &client, const sotto_metric *metric, uint8_t type) {
    if (client.epoch == no_epoch) {
        return SOTTO_ERR_NO_EPOCH;
    }
    if (metric == nullptr) {
        return SOTTO_ERR_UNKNOWN_METRIC;
    }
    if (metric->type != type) {
        return SOTTO_ERR_WRONG_TYPE;
    }
    if (client.epoch < client.next_epoch[metric - client.registry->metrics]) {
        return SOTTO_ERR_ALREADY_REPORTED;
    }
    return client.queue_length == client.queue_capacity ? SOTTO_ERR_QUEUE_FULL : SOTTO_OK;
}

// The queue is kept in the registry's order, so that a batch does not show when what was measured.
void enqueue(sotto_client &client, const sotto_release &release) {
    uint16_t at = client.queue_length++;
    for (; at > 0 && client.queue[at - 1].metric_index > release.metric_index; --at) {
        client.queue[at] = client.queue[at - 1];
    }
    client.queue[at] = release;
}

void dequeue(sotto_client &client, size_t count) {
    const size_t rest = client.queue_length - count;
    for (size_t i = 0; i < rest; ++i) {
        client.queue[i] = client.queue[i + count];
    }
    crypto::wipe(client.queue + rest, count * sizeof(sotto_release));
    client.queue_length = static_cast<uint16_t>(rest);
}

} // namespace

extern "C" sotto_status sotto_init(sotto_client *client, const sotto_registry *registry,
                                   const sotto_port *port, uint32_t *next_epoch,
                                   sotto_release *queue, uint16_t queue_capacity) {
    if (is_live(client)) {
        return SOTTO_ERR_ALREADY_INITIALISED;
    }
    if (client == nullptr || registry == nullptr || port == nullptr || port->entropy == nullptr ||
        next_epoch == nullptr || queue == nullptr || queue_capacity == 0) {
        return SOTTO_ERR_ARGUMENT;
    }
    crypto::wipe(client, sizeof *client);
    const sotto_status damage = check_registry(*registry);
    if (damage != SOTTO_OK) {
        return damage;
    }
    client->registry = registry;
    client->port = *port;
    client->next_epoch = next_epoch;
    client->queue = queue;
    client->queue_capacity = queue_capacity;
    client->epoch = no_epoch;
    crypto::wipe(next_epoch, registry->metric_count * sizeof *next_epoch);
    crypto::wipe(queue, queue_capacity * sizeof *queue);
    const sotto_status status =
        named_cause(*client, crypto::drbg_seed(client->drbg, entropy_for_drbg, client));
    if (status == SOTTO_OK) {
        client->state = live_mark(client);
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
    const sotto_status status = named_cause(*client, crypto::drbg_reseed(client->drbg));
    if (status == SOTTO_OK) {
        client->epoch = epoch;
    }
    return status;
}

extern "C" sotto_status sotto_report_boolean(sotto_client *client, uint16_t metric_id, bool value) {
    if (!is_live(client)) {
        return SOTTO_ERR_NOT_INITIALISED;
    }
    const sotto_metric *metric = find(*client->registry, metric_id);
    sotto_status status = may_measure(*client, metric, SOTTO_TYPE_BOOLEAN);
    if (status != SOTTO_OK) {
        return status;
    }
    const auto index = static_cast<uint16_t>(metric - client->registry->metrics);
    sotto_release release = {client->epoch, 0, {}, index, 0};
    alignas(4) uint8_t noise[random_bytes_max];
    status = draw(*client, noise, metric->random_bytes);
    if (status == SOTTO_OK) {
        status = draw(*client, release.id, sizeof release.id);
    }
    if (status == SOTTO_OK) {
        status = randomized_response(*metric, 0, static_cast<uint32_t>(value),
                                     {noise, metric->random_bytes}, &release.value);
    }
    crypto::wipe(noise, sizeof noise);
    if (status == SOTTO_OK) {
        client->next_epoch[index] = client->epoch + 1;
        enqueue(*client, release);
    }
    return status;
}

extern "C" size_t sotto_pending(const sotto_client *client) {
    return is_live(client) ? client->queue_length : 0;
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
    if (client->queue_length == 0) {
        return SOTTO_OK;
    }
    const sotto_registry &registry = *client->registry;
    size_t count = client->queue_length;
    while (count > 0 &&
           report::envelope_bytes(registry, client->epoch, client->queue, count) > capacity_bytes) {
        --count;
    }
    if (count == 0) {
        crypto::wipe(buffer, capacity_bytes);
        return SOTTO_ERR_BUFFER_TOO_SMALL;
    }
    *length_bytes = report::write_envelope(registry, client->epoch, client->queue, count, buffer,
                                           capacity_bytes);
    if (*length_bytes == 0) {
        return SOTTO_ERR_BUFFER_TOO_SMALL;
    }
    dequeue(*client, count);
    return SOTTO_OK;
}

extern "C" void sotto_wipe(sotto_client *client) {
    if (client == nullptr) {
        return;
    }
    if (is_live(client)) {
        crypto::wipe(client->queue, client->queue_capacity * sizeof(sotto_release));
        crypto::wipe(client->next_epoch, client->registry->metric_count * sizeof(uint32_t));
        crypto::drbg_wipe(client->drbg);
    }
    crypto::wipe(client, sizeof *client);
}
