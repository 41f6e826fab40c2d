// SPDX-License-Identifier: Apache-2.0
#include "client/state.hpp"

#include "client/account.hpp"
#include "client/adopt.hpp"
#include "client/internal.hpp"
#include "client/stored.hpp"

namespace sotto::device {
namespace {

// The content of a slot.
enum class copy { none, whole, torn, too_large };

struct slots {
    copy what[2]; // the two states
    uint32_t sequence[2];
    size_t size; // the last loaded state's

    bool is(copy a) const { return what[0] == a || what[1] == a; }
    bool both(copy a) const { return what[0] == a && what[1] == a; }
};

constexpr size_t mac_bytes = sizeof(sotto_state_head::mac);
static_assert(mac_begin == offsetof(sotto_state_head, format));

constexpr uint32_t slot_of(uint32_t sequence) {
    return (sequence & 1) == 0 ? SOTTO_SLOT_STATE_A : SOTTO_SLOT_STATE_B;
}

sotto_status load_copy(const sotto_client &client, uint32_t slot, copy &what, size_t &size) {
    const size_t capacity = state_bytes(client.memory);
    uint8_t *bytes = state_data(client.memory);
    crypto::wipe(bytes, capacity);
    const int32_t length = client.port.load(client.port.context, slot, bytes, capacity);
    if (length < 0) {
        return SOTTO_ERR_STORAGE;
    }
    size = static_cast<size_t>(length);
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

// A copy that can't be read now may be the newest: then nothing is known.
sotto_status look_at(const sotto_client &client, slots &found) {
    sotto_status status = SOTTO_OK;
    for (uint32_t i = 0; status == SOTTO_OK && i < 2; ++i) {
        copy &what = found.what[i];
        status = load_copy(client, SOTTO_SLOT_STATE_A + i, what, found.size);
        const bool has_head = what == copy::whole || what == copy::too_large;
        found.sequence[i] = has_head ? client.memory.head->sequence : 0;
    }
    return status;
}

// The state of a device that has said nothing yet.
void make_state(sotto_client &client) {
    const sotto_registry &registry = *client.registry;
    sotto_state_head &head = *client.memory.head;
    crypto::wipe(state_data(client.memory), state_bytes(client.memory));
    head.epoch = head.batch_epoch = no_epoch;
    head.flags = registry.start_paused != 0 ? uint32_t{flag_paused} : 0;
    begin_accounts(client);
}

// The port's MAC of the state that is in memory, and of the secret, unless that is to be erased;
// zeros where it makes none.
sotto_status make_mac(const sotto_client &client, size_t size, uint8_t tag[mac_bytes]) {
    static const char label[] = "\x0esotto state v1";
    const sotto_memory &memory = client.memory;
    crypto::wipe(tag, mac_bytes);
    if (client.port.mac == nullptr) {
        return SOTTO_OK;
    }
    const bool is_wiped = (memory.head->flags & flag_wiped) != 0;
    const crypto::bytes parts[] = {{label, sizeof label - 1},
                                   {state_data(memory) + mac_begin, size - mac_begin},
                                   {client.secret, is_wiped ? 0 : sizeof client.secret}};
    uint8_t digest[crypto::digest_bytes];
    sotto_status status = crypto::sha256(parts, 3, digest);
    if (status == SOTTO_OK && client.port.mac(client.port.context, digest, tag) != SOTTO_OK) {
        status = SOTTO_ERR_STORAGE;
    }
    crypto::wipe(digest, sizeof digest);
    return status;
}

// Is the state in memory, and the secret, what this device stored?
sotto_status check_mac(const sotto_client &client, size_t size) {
    uint8_t tag[mac_bytes];
    const sotto_status status = make_mac(client, size, tag);
    uint32_t difference = 0;
    for (size_t i = 0; i < mac_bytes; ++i) {
        difference |= static_cast<uint32_t>(tag[i] ^ client.memory.head->mac[i]);
    }
    const bool is_forged = client.port.mac != nullptr && difference != 0;
    return status == SOTTO_OK && is_forged ? sotto_status{SOTTO_ERR_STATE_FORGED} : status;
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
    const sotto_status status = make_mac(client, size, head.mac);
    if (status != SOTTO_OK) {
        return status;
    }
    head.checksum = state_checksum(bytes, size);
    return client.port.store(client.port.context, slot_of(head.sequence), bytes, size) == SOTTO_OK
               ? SOTTO_OK
               : SOTTO_ERR_STORAGE;
}

sotto_status raise_counter(const sotto_client &client, uint32_t target, uint32_t &value) {
    value = target;
    if (client.port.counter != nullptr &&
        (client.port.counter(client.port.context, &value, target) != SOTTO_OK || value < target)) {
        return SOTTO_ERR_STORAGE;
    }
    return SOTTO_OK;
}

// Nothing but what the first of all stores, to A, may have left when it was cut.
bool is_new(const slots &found, copy secret) {
    return secret == copy::none && found.what[1] == copy::none &&
           (found.what[0] == copy::none || found.what[0] == copy::torn);
}

sotto_status check_secret(copy secret) {
    if (secret == copy::whole) {
        return SOTTO_OK;
    }
    return secret == copy::none ? SOTTO_ERR_SECRET_MISSING : SOTTO_ERR_SECRET_CORRUPT;
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
sotto_status load_newest(const sotto_client &client, slots &found) {
    const bool is_b = found.what[1] == copy::whole &&
                      (found.what[0] != copy::whole || found.sequence[1] > found.sequence[0]);
    copy what = copy::none;
    const sotto_status status =
        load_copy(client, is_b ? SOTTO_SLOT_STATE_B : SOTTO_SLOT_STATE_A, what, found.size);
    return status == SOTTO_OK && what != copy::whole ? sotto_status{SOTTO_ERR_STORAGE} : status;
}

// One store goes before its step of the counter, never two. A state that is further ahead was not
// stored here, and would raise the counter for ever. A counter that was never raised knows nothing
// yet.
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
    if (value > 0 && sequence - value > 1) {
        return SOTTO_ERR_STATE_FORGED;
    }
    return raise_counter(client, sequence, value);
}

// The state of a new device is one that was wiped. A cut leaves it without a secret, or with one
// that nothing was ever derived from.
sotto_status begin(sotto_client &client) {
    make_state(client);
    client.memory.head->flags |= flag_wiped;
    const sotto_status status = check_counter(client);
    return status == SOTTO_OK ? write_state(client) : status;
}

sotto_status take_up(sotto_client &client, slots &found, copy secret, uint32_t needed) {
    sotto_status status = what_is_lost(found);
    if (status == SOTTO_OK) {
        status = load_newest(client, found);
    }
    if (status == SOTTO_OK && (client.memory.head->flags & flag_wiped) == 0) {
        status = check_secret(secret);
    }
    if (status == SOTTO_OK) {
        status = check_mac(client, found.size);
    }
    if (status == SOTTO_OK) {
        status = check_counter(client);
    }
    if (status == SOTTO_OK) {
        status = adopt_state(client, needed);
    }
    return status == SOTTO_OK ? renew_randomness(client, client.memory.head->epoch) : status;
}

// Stores count on from it, so that the first overwrites the older copy. A counter that was ever
// raised knows of all that was relied on.
sotto_status newest_sequence(const sotto_client &client, const slots &found, uint32_t used,
                             uint32_t &sequence) {
    for (const uint32_t stored : found.sequence) {
        used = stored > used ? stored : used;
    }
    const sotto_status status = raise_counter(client, 0, sequence);
    sequence = sequence == 0 ? used : sequence;
    return status;
}

// A wipe keeps some of the newest state: of one that may be forged only that it was paused.
sotto_status load_kept(sotto_client &client, slots &found, sotto_state_head &kept) {
    copy secret = copy::none;
    sotto_status status = load_newest(client, found);
    if (status == SOTTO_OK && client.port.mac != nullptr) {
        status = load_secret(client, secret);
    }
    if (status == SOTTO_OK) {
        status = check_mac(client, found.size);
    }
    if (status == SOTTO_OK) {
        status = check_counter(client);
    }
    if (status == SOTTO_ERR_STATE_FORGED) {
        kept.flags |= client.memory.head->flags & flag_paused;
        return SOTTO_OK;
    }
    kept = *client.memory.head;
    return status == SOTTO_ERR_STATE_ROLLED_BACK ? sotto_status{SOTTO_OK} : status;
}

sotto_status store_once(sotto_client &client) {
    sotto_state_head &head = *client.memory.head;
    uint32_t value = 0;
    sotto_status status = raise_counter(client, head.sequence, value);
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

// All that was ever stored here, also by a store that failed, is at most one step ahead of the
// counter. Two steps without a start between them leave all of it behind, so that only this state
// is left. While nothing fails one step does, since nothing else was stored ahead of the counter.
sotto_status save(sotto_client &client, bool twice) {
    client.is_settled = 0;
    sotto_status status = store_once(client);
    if (status == SOTTO_OK && twice) {
        status = store_once(client);
    }
    client.is_settled = status == SOTTO_OK ? 1 : 0;
    return status;
}

bool is_doubtful(const sotto_client &client) {
    return client.port.counter != nullptr && client.is_settled == 0;
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

sotto_status start_state(sotto_client &client, uint32_t needed) {
    slots found = {};
    copy secret = copy::none;
    sotto_status status = look_at(client, found);
    if (status == SOTTO_OK) {
        status = load_secret(client, secret);
    }
    if (status == SOTTO_OK) {
        status = is_new(found, secret) ? begin(client) : take_up(client, found, secret, needed);
    }
    const bool is_wiped = (client.memory.head->flags & flag_wiped) != 0;
    return status == SOTTO_OK && is_wiped ? renew_secret(client) : status;
}

sotto_status save_state(sotto_client &client) { return save(client, is_doubtful(client)); }

sotto_status save_both(sotto_client &client) { return save(client, true); }

sotto_status settle_state(sotto_client &client) {
    return is_doubtful(client) ? save_state(client) : sotto_status{SOTTO_OK};
}

sotto_status erase_state(sotto_client &client) {
    // The state in use is newer than the stored one; looking there overwrites it.
    const bool is_used = is_live(&client);
    sotto_state_head kept = {};
    kept.epoch = no_epoch;
    kept.flags = flag_serial_lost;
    kept.request_serial = client.registry->request_serial;
    if (is_used) {
        kept = *client.memory.head;
    }
    slots found = {};
    uint32_t sequence = 0;
    sotto_status status = look_at(client, found);
    if (status == SOTTO_OK && !is_used && found.is(copy::whole)) {
        status = load_kept(client, found, kept);
    }
    if (status == SOTTO_OK) {
        status = newest_sequence(client, found, kept.sequence, sequence);
    }
    if (status != SOTTO_OK) {
        return status;
    }
    make_state(client);
    sotto_state_head &head = *client.memory.head;
    head.sequence = sequence;
    head.epoch = kept.epoch;
    head.request_serial = kept.request_serial;
    head.flags |=
        flag_wiped | flag_spent | flag_forgot | (kept.flags & (flag_paused | flag_serial_lost));
    status = save_both(client);
    if (status == SOTTO_OK &&
        client.port.store(client.port.context, SOTTO_SLOT_SECRET, nullptr, 0) != SOTTO_OK) {
        status = SOTTO_ERR_STORAGE;
    }
    return status;
}

} // namespace sotto::device
