// SPDX-License-Identifier: Apache-2.0
// A loaded state whose accounts and releases are any bytes, in the steps that take it over. The
// state ends where its object ends.
#include "proof.h"

#define private public // steps of a class, one by one
#include "client/adopt.cpp"
#undef private

using namespace sotto;
using namespace sotto::device;

namespace {

sotto_metric metrics[2];

} // namespace

namespace sotto::device {

const sotto_metric *find(const sotto_registry &registry, uint16_t) {
    return proof_any() == 0 ? nullptr : registry.metrics + (proof_any() & 1);
}
void close(sotto_client &, sotto_release &release) { release.flags = 0; }

} // namespace sotto::device

namespace sotto {

bool is_of(const sotto_metric &, uint32_t) { return proof_any() == 0; }

} // namespace sotto

extern "C" void prove() {
    sotto_state_head head; // anything
    sotto_registry registry = {};
    registry.metrics = metrics;
    registry.metric_count = 2;
    sotto_client client = {};
    client.registry = &registry;
    client.memory.head = &head;
#if defined(ACCOUNTS)
    constexpr uint32_t room = 16;
    uint32_t accounts[room]; // anything
    client.memory.accounts = accounts;
    client.memory.account_words = room;
    adopted state(client, proof_any());
    if (state.check(proof_any()) == SOTTO_OK) {
        proof_assert(state.used_ >= 5 && state.used_ <= room);
    }
#elif defined(MOVE)
    constexpr uint16_t account_room = 4;
    struct {
        uint32_t accounts[account_room];
        sotto_release release[1];
        uint32_t words[1];
    } stored; // anything
    client.memory.accounts = stored.accounts;
    client.memory.releases = stored.release;
    client.memory.words = stored.words;
    client.memory.account_words = account_room;
    client.memory.release_capacity = 1;
    client.memory.words_per_release = 1;
    adopted state(client, proof_any());
    proof_assume(state.before_ <= state.room_);
    state.move_releases();
#else
    sotto_release release[2]; // anything
    client.memory.releases = release;
    client.memory.release_capacity = 2;
    metrics[0].level_count = metrics[1].level_count = 16;
    adopted state(client, 0);
    if (state.are_releases()) {
        proof_assert(!is_open(release[0]) || release[0].metric_index < 2);
    }
#endif
}
