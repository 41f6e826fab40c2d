// SPDX-License-Identifier: Apache-2.0
// A start on storage that answers any length and any bytes, twice differently, with a counter and a
// MAC of any values. Accounts and randomness have harnesses of their own.
#include "client/state.hpp"
#include "client/adopt.hpp"
#include "client/internal.hpp"
#include "client/stored.hpp"
#include "proof.h"

using namespace sotto;
using namespace sotto::device;

namespace {

constexpr uint16_t account_room = 11, releases = 1, words_each = 1;

struct stored_state {
    sotto_state_head head;
    uint32_t accounts[account_room];
    sotto_release release[releases];
    uint32_t words[releases * words_each];
};

sotto_status any_status() { return static_cast<sotto_status>(proof_any()); }

int32_t load(void *, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    proof_assert(slot < SOTTO_SLOT_COUNT);
    proof_write(bytes, capacity_bytes);
    return static_cast<int32_t>(proof_any());
}

sotto_status store(void *, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    proof_assert(slot < SOTTO_SLOT_COUNT);
    if (length_bytes != 0) {
        proof_read(bytes, length_bytes);
    }
    return any_status();
}

sotto_status counter(void *, uint32_t *value, uint32_t) {
    *value = proof_any();
    return any_status();
}

sotto_status mac(void *, const uint8_t *digest, uint8_t *tag) {
    proof_read(digest, 32);
    proof_write(tag, 16);
    return any_status();
}

} // namespace

namespace sotto::device {

void begin_accounts(sotto_client &) {}

uint32_t checksum_of(const uint8_t *bytes, size_t size) {
    proof_read(bytes, size);
    return proof_any();
}

// A state that is adopted is whole, and has at least a head.
sotto_status adopt_state(sotto_client &client, uint32_t) {
    proof_assert(client.memory.head->format == state_format);
    return any_status();
}

sotto_status renew_randomness(sotto_client &, uint32_t) { return any_status(); }

sotto_status draw(sotto_client &, uint8_t *bytes, size_t length_bytes) {
    proof_write(bytes, length_bytes);
    return any_status();
}

} // namespace sotto::device

extern "C" void prove() {
    stored_state state; // any bytes
    sotto_registry registry = {};
    sotto_client client = {};
    client.registry = &registry;
    client.state = proof_any();
    client.memory.head = &state.head;
    client.memory.accounts = state.accounts;
    client.memory.releases = state.release;
    client.memory.words = state.words;
    client.memory.account_words = account_room;
    client.memory.release_capacity = releases;
    client.memory.words_per_release = words_each;
    client.port.load = load;
    client.port.store = store;
    client.port.counter = proof_any() == 0 ? counter : nullptr;
    client.port.mac = proof_any() == 0 ? mac : nullptr;
    (void)(proof_any() == 0 ? erase_state(client) : start_state(client, proof_any()));
}
