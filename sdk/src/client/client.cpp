// SPDX-License-Identifier: Apache-2.0
#include "sotto/sotto.h"

#include "client/adopt.hpp"
#include "client/client_code.hpp"
#include "client/entry.hpp"
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "client/registry_check.hpp"
#include "client/state.hpp"
#include "client/stored.hpp"
#include "crypto/probe.hpp"

using namespace sotto;
using namespace sotto::device;

static_assert(sizeof(sotto_client::secret) == crypto::key_bytes);
static_assert(sizeof(sotto_release::key) < crypto::key_bytes);
static_assert(sizeof(sotto_release) == 56 && sizeof(sotto_state_head) == 56);

namespace {

bool is_enough(const sotto_memory &m, const memory_need &need) {
    const auto *accounts = reinterpret_cast<const uint8_t *>(m.accounts);
    const auto *releases = reinterpret_cast<const uint8_t *>(m.releases);
    const auto *words = reinterpret_cast<const uint8_t *>(m.words);
    return m.head != nullptr && m.accounts != nullptr && m.releases != nullptr &&
           m.words != nullptr && m.work != nullptr && m.random != nullptr &&
           m.release_capacity > 0 && m.words_per_release >= need.words &&
           m.random_bytes >= need.random_bytes && m.account_words >= need.account_words &&
           accounts == state_data(m) + sizeof(sotto_state_head) &&
           releases == accounts + size_t{4} * m.account_words &&
           words == releases + m.release_capacity * sizeof(sotto_release);
}

bool is_port(const sotto_port *port) {
    return port != nullptr && port->entropy != nullptr && port->entropy->read != nullptr &&
           port->load != nullptr && port->store != nullptr &&
           (port->lock == nullptr) == (port->unlock == nullptr);
}

void wipe_memory(const sotto_memory &memory) {
    crypto::wipe(state_data(memory), state_bytes(memory));
    crypto::wipe(memory.work, size_t{8} * memory.words_per_release);
    crypto::wipe(memory.random, memory.random_bytes);
    wipe_words(memory.rows, memory.row_words);
}

void forget(sotto_client &client) {
    wipe_memory(client.memory);
    wipe_randomness(client);
}

// All but what a later sotto_wipe needs to find the stored state.
void block(sotto_client &client, sotto_status why) {
    forget(client);
    crypto::wipe(client.secret, sizeof client.secret);
    client.cohort = 0;
    client.status = why;
    client.state = ~live_mark(&client);
}

bool is_about_storage(sotto_status status) {
    return status == SOTTO_ERR_METRIC_CHANGED ||
           (status <= SOTTO_ERR_STORAGE && status >= SOTTO_ERR_STATE_FORGED);
}

void end(sotto_client &client) {
    if (is_live(&client) || is_blocked(&client)) {
        forget(client);
    }
    crypto::wipe(&client, sizeof client);
}

// The metrics' own code acts on an epoch that begins.
sotto_status begin_epoch(sotto_client &client) {
    const sotto_registry &registry = *client.registry;
    sotto_status status = SOTTO_OK;
    for (uint16_t i = 0; status == SOTTO_OK && i < registry.metric_count; ++i) {
        const sotto_metric &metric = registry.metrics[i];
        if (metric.client != nullptr && metric.client->on_epoch != nullptr) {
            status = metric.client->on_epoch(client, metric);
        }
    }
    return status;
}

sotto_status advance(sotto_client &client, uint32_t epoch, uint32_t jump_max) {
    sotto_state_head &head = *client.memory.head;
    const bool is_first = head.epoch == no_epoch;
    if (epoch == no_epoch || (!is_first && epoch < head.epoch)) {
        return SOTTO_ERR_EPOCH_BACKWARD;
    }
    const uint32_t before = head.epoch, passed = is_first ? 0 : epoch - before;
    if (passed > jump_max) {
        return SOTTO_ERR_EPOCH_JUMP;
    }
    if (is_first || passed > 0) {
        const sotto_status status = renew_randomness(client, epoch);
        if (status != SOTTO_OK) {
            return status;
        }
    }
    pass_epochs(client, passed);
    head.epoch = epoch;
    close_what_is_done(client);
    if ((head.flags & flag_spent) != 0) {
        spend_everything(client);
        head.flags &= ~uint32_t{flag_spent};
        // Now, or every reboot would begin the window anew.
        const sotto_status status = save_state(client);
        if (status != SOTTO_OK) {
            head.flags |= flag_spent;
            head.epoch = before;
            return status;
        }
    } else if (passed > 0 && client.to_erase > 0) {
        (void)save_state(client); // if it fails the next one erases
    }
    const sotto_status status = begin_epoch(client);
    client.has_epoch = 1;
    return status;
}

sotto_status set_paused(sotto_client *client, uint32_t flag) {
    entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    uint32_t &flags = client->memory.head->flags;
    const uint32_t before = flags;
    flags = (flags & ~uint32_t{flag_paused}) | flag;
    if (flags == before) {
        return SOTTO_OK;
    }
    const sotto_status status = save_both(*client); // a no is in both copies
    if (status != SOTTO_OK) {
        flags = before | flag; // a pause holds, a resume does not
    }
    return status;
}

} // namespace

extern "C" sotto_status sotto_init(sotto_client *client, const sotto_registry *registry,
                                   const sotto_port *port, const sotto_memory *memory) {
    if (is_live(client)) {
        return SOTTO_ERR_ALREADY_INITIALISED;
    }
    if (client == nullptr || registry == nullptr || !is_port(port) || memory == nullptr) {
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
    wipe_memory(*memory);
    status = start_randomness(*client);
    if (status == SOTTO_OK) {
        status = crypto::probe(registry->sealing != nullptr, registry->request_key);
    }
    if (status == SOTTO_OK) {
        status = start_state(*client, need.account_words);
    }
    if (status == SOTTO_OK) {
        status = assign_cohort(*client);
    }
    if (status == SOTTO_OK) {
        client->state = live_mark(client);
    } else if (is_about_storage(status)) {
        block(*client, status);
    } else {
        forget(*client);
        crypto::wipe(client, sizeof *client);
    }
    return status;
}

extern "C" sotto_status sotto_deinit(sotto_client *client) {
    if (client == nullptr) {
        return SOTTO_ERR_ARGUMENT;
    }
    if (!is_live(client) && !is_blocked(client)) {
        end(*client); // a copy, or nothing yet: there is no call to break into
        return SOTTO_OK;
    }
    entry call(client, true);
    if (call.status() == SOTTO_OK) {
        end(*client);
    }
    return call.status();
}

extern "C" sotto_status sotto_wipe(sotto_client *client) {
    entry call(client, true);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    const sotto_status status = erase_state(*client);
    if (status == SOTTO_OK) {
        end(*client);
    } else {
        block(*client, status);
    }
    return status;
}

extern "C" sotto_status sotto_advance(sotto_client *client, uint32_t epoch) {
    entry call(client);
    return call.status() == SOTTO_OK ? advance(*client, epoch, client->registry->max_epoch_jump)
                                     : call.status();
}

extern "C" sotto_status sotto_advance_far(sotto_client *client, uint32_t epoch) {
    entry call(client);
    return call.status() == SOTTO_OK ? advance(*client, epoch, UINT32_MAX) : call.status();
}

extern "C" sotto_status sotto_forget_epoch(sotto_client *client) {
    entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    if (!is_unmeasured(*client)) {
        return SOTTO_ERR_EPOCH_BACKWARD;
    }
    uint32_t &epoch = client->memory.head->epoch;
    const uint32_t before = epoch;
    epoch = no_epoch;
    const sotto_status status = save_state(*client);
    if (status != SOTTO_OK) {
        epoch = before;
        return status;
    }
    client->has_epoch = 0;
    return SOTTO_OK;
}

extern "C" sotto_status sotto_pause(sotto_client *client) {
    return set_paused(client, flag_paused);
}

extern "C" sotto_status sotto_resume(sotto_client *client) { return set_paused(client, 0); }

extern "C" uint32_t sotto_get_stores(const sotto_client *client) {
    const entry call(client);
    return call.status() == SOTTO_OK ? client->memory.head->sequence : 0;
}

extern "C" bool sotto_is_paused(const sotto_client *client) {
    const entry call(client);
    return call.status() == SOTTO_OK && is_paused(*client);
}
