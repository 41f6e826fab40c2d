// SPDX-License-Identifier: Apache-2.0
#include "client/state.hpp"

#include "client/account.hpp"
#include "client/adopt.hpp"
#include "client/internal.hpp"
#include "client/stored.hpp"

namespace sotto::device {
namespace {

// What stands in a slot.
enum class copy { none, whole, torn, too_large };

struct slots {
    copy what[2]; // of the two states
    uint32_t sequence[2];
    copy secret;

    bool is(copy a) const { return what[0] == a || what[1] == a; }
    bool both(copy a) const { return what[0] == a && what[1] == a; }
};

constexpr uint32_t slot_of(uint32_t sequence) {
    return (sequence & 1) == 0 ? SOTTO_SLOT_STATE_A : SOTTO_SLOT_STATE_B;
}

sotto_status load_copy(const sotto_client &client, uint32_t slot, copy &what) {
    const size_t capacity = state_bytes(client.memory);
    uint8_t *bytes = state_data(client.memory);
    crypto::wipe(bytes, capacity);
    const int32_t length = client.port.load(client.port.context, slot, bytes, capacity);
    if (length < 0) {
        return SOTTO_ERR_STORAGE;
    }
    const auto size = static_cast<size_t>(length);
    if (size == 0) {
        what = copy::none;
    } else if (size > capacity) {
        what = copy::too_large;
    } else {
        what = is_whole_state(*client.memory.head, bytes, size) ? copy::whole : copy::torn;
    }
    return SOTTO_OK;
}

sotto_status load_secret(sotto_client &client, copy &what) {
    stored_secret stored = {};
    const int32_t length =
        client.port.load(client.port.context, SOTTO_SLOT_SECRET, stored.bytes, sizeof stored.bytes);
    what = copy::none;
    if (length > 0) {
        const bool is_whole = stored.read(static_cast<size_t>(length), client.secret);
        what = is_whole ? copy::whole : copy::torn;
    }
    stored.wipe();
    return length < 0 ? SOTTO_ERR_STORAGE : SOTTO_OK;
}

sotto_status store_secret(sotto_client &client) {
    stored_secret stored;
    sotto_status status = draw(client, client.secret, sizeof client.secret);
    stored.write(client.secret);
    if (status == SOTTO_OK && client.port.store(client.port.context, SOTTO_SLOT_SECRET,
                                                stored.bytes, sizeof stored.bytes) != SOTTO_OK) {
        status = SOTTO_ERR_STORAGE;
    }
    stored.wipe();
    return status;
}

// With `even_torn` a slot that can't be read is as good as torn: it will be overwritten.
sotto_status look_at(sotto_client &client, slots &found, bool even_torn) {
    sotto_status status = SOTTO_OK;
    for (uint32_t i = 0; status == SOTTO_OK && i < 2; ++i) {
        status = load_copy(client, SOTTO_SLOT_STATE_A + i, found.what[i]);
        if (status != SOTTO_OK && even_torn) {
            found.what[i] = copy::torn;
            status = SOTTO_OK;
        }
        found.sequence[i] = found.what[i] == copy::whole ? client.memory.head->sequence : 0;
    }
    return status == SOTTO_OK && !even_torn ? load_secret(client, found.secret) : status;
}

// The state of a device that has said nothing yet.
void make_state(const sotto_client &client) {
    const sotto_registry &registry = *client.registry;
    sotto_state_head &head = *client.memory.head;
    crypto::wipe(state_data(client.memory), state_bytes(client.memory));
    head.epoch = head.batch_epoch = no_epoch;
    append_account(client, nullptr, 0);
    uint32_t at = account_words(registry, nullptr);
    for (uint16_t i = 0; i < registry.metric_count; ++i) {
        append_account(client, &registry.metrics[i], at);
        at += account_words(registry, &registry.metrics[i]);
    }
}

// The slot itself, without thinking of the counter: for states that have published nothing.
sotto_status write_state(sotto_client &client) {
    sotto_state_head &head = *client.memory.head;
    head.format = state_format;
    head.registry = client.registry->fingerprint;
    head.account_words = client.memory.account_words;
    head.release_shape = release_shape(client.memory);
    const uint8_t *bytes = state_data(client.memory);
    const size_t size = state_bytes(client.memory);
    head.checksum = state_checksum(bytes, size);
    return client.port.store(client.port.context, slot_of(head.sequence), bytes, size) == SOTTO_OK
               ? SOTTO_OK
               : SOTTO_ERR_STORAGE;
}

sotto_status raise_counter(const sotto_client &client, uint32_t to, uint32_t &value) {
    value = to;
    if (client.port.counter != nullptr &&
        (client.port.counter(client.port.context, &value, to) != SOTTO_OK || value < to)) {
        return SOTTO_ERR_STORAGE;
    }
    return SOTTO_OK;
}

// In this order a cut leaves what can be told from every other loss: a state 0 without a secret, or
// with one that nothing was ever derived from.
sotto_status begin(sotto_client &client, bool has_state_0) {
    make_state(client);
    sotto_status status = has_state_0 ? sotto_status{SOTTO_OK} : write_state(client);
    if (status == SOTTO_OK) {
        status = store_secret(client);
    }
    return status == SOTTO_OK ? save_state(client) : status;
}

// A device that never got beyond its state 0, or not even there.
bool is_new(const slots &found) {
    if (found.secret == copy::none && !found.is(copy::whole) && !found.is(copy::too_large)) {
        return found.what[1] == copy::none; // the first of all stores is to A
    }
    return found.what[0] == copy::whole && found.sequence[0] == 0 && found.what[1] != copy::whole &&
           found.what[1] != copy::too_large;
}

sotto_status what_is_lost(const slots &found) {
    if (found.is(copy::too_large)) {
        return SOTTO_ERR_STATE_SIZE;
    }
    if (!found.is(copy::whole)) {
        return found.both(copy::none) ? SOTTO_ERR_STATE_MISSING : SOTTO_ERR_STATE_CORRUPT;
    }
    return SOTTO_OK;
}

// The newer of the whole ones, which is loaded again.
sotto_status load_newest(sotto_client &client, const slots &found) {
    const bool is_b = found.what[1] == copy::whole &&
                      (found.what[0] != copy::whole || found.sequence[1] > found.sequence[0]);
    copy what = copy::none;
    const sotto_status status =
        load_copy(client, is_b ? SOTTO_SLOT_STATE_B : SOTTO_SLOT_STATE_A, what);
    return status == SOTTO_OK && what != copy::whole ? sotto_status{SOTTO_ERR_STORAGE} : status;
}

sotto_status check_counter(const sotto_client &client) {
    uint32_t value = 0;
    sotto_status status = raise_counter(client, 0, value);
    if (status != SOTTO_OK || client.port.counter == nullptr) {
        return status;
    }
    const uint32_t sequence = client.memory.head->sequence;
    if (sequence < value) {
        return SOTTO_ERR_STATE_ROLLED_BACK;
    }
    return sequence == value ? sotto_status{SOTTO_OK} : raise_counter(client, sequence, value);
}

sotto_status renew_secret(sotto_client &client) {
    const sotto_status status = store_secret(client);
    if (status != SOTTO_OK) {
        return status;
    }
    client.memory.head->flags &= ~uint32_t{flag_wiped};
    return save_state(client);
}

} // namespace

sotto_status start_state(sotto_client &client) {
    slots found = {};
    sotto_status status = look_at(client, found, false);
    if (status != SOTTO_OK) {
        return status;
    }
    if (is_new(found)) {
        make_state(client);
        status = check_counter(client);
        return status == SOTTO_OK ? begin(client, found.what[0] == copy::whole) : status;
    }
    status = what_is_lost(found);
    if (status == SOTTO_OK) {
        status = load_newest(client, found);
    }
    if (status == SOTTO_OK) {
        status = check_counter(client);
    }
    if (status == SOTTO_OK) {
        status = adopt_state(client);
    }
    if (status != SOTTO_OK) {
        return status;
    }
    if ((client.memory.head->flags & flag_wiped) != 0) {
        return renew_secret(client);
    }
    if (found.secret != copy::whole) {
        return found.secret == copy::none ? SOTTO_ERR_SECRET_MISSING : SOTTO_ERR_SECRET_CORRUPT;
    }
    return SOTTO_OK;
}

sotto_status save_state(sotto_client &client) {
    sotto_state_head &head = *client.memory.head;
    uint32_t value = 0;
    sotto_status status = raise_counter(client, 0, value);
    if (status == SOTTO_OK && value > head.sequence) {
        status = SOTTO_ERR_STATE_ROLLED_BACK; // something newer is stored, and not from here
    }
    if (status != SOTTO_OK) {
        return status;
    }
    ++head.sequence;
    status = write_state(client);
    if (status != SOTTO_OK) {
        --head.sequence; // again into the same slot: the other has the last good one
        return status;
    }
    client.to_erase = static_cast<uint8_t>(client.to_erase - (client.to_erase > 0 ? 1 : 0));
    return raise_counter(client, head.sequence, value);
}

sotto_status save_both(sotto_client &client) {
    const sotto_status status = save_state(client);
    return status == SOTTO_OK ? save_state(client) : status;
}

sotto_status erase_state(sotto_client &client) {
    // What is in use is newer than what is stored; looking there overwrites it.
    sotto_state_head kept = {};
    kept.epoch = no_epoch;
    if (is_live(&client)) {
        kept = *client.memory.head;
    }
    slots found = {};
    uint32_t counter = 0;
    sotto_status status = look_at(client, found, true);
    if (status == SOTTO_OK) {
        status = raise_counter(client, 0, counter);
    }
    if (status != SOTTO_OK) {
        return status;
    }
    if (!is_live(&client) && found.is(copy::whole) && load_newest(client, found) == SOTTO_OK) {
        kept = *client.memory.head;
    }
    uint32_t sequence =
        found.sequence[0] > found.sequence[1] ? found.sequence[0] : found.sequence[1];
    sequence = sequence > counter ? sequence : counter;
    make_state(client);
    sotto_state_head &head = *client.memory.head;
    head.sequence = sequence;
    head.epoch = kept.epoch;
    head.request_serial = kept.request_serial;
    head.flags = flag_wiped | flag_spent | (kept.flags & flag_paused);
    status = save_both(client);
    if (status == SOTTO_OK &&
        client.port.store(client.port.context, SOTTO_SLOT_SECRET, nullptr, 0) != SOTTO_OK) {
        status = SOTTO_ERR_STORAGE;
    }
    return status;
}

} // namespace sotto::device
