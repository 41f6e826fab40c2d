// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_STATE_HPP
#define SOTTO_CLIENT_STATE_HPP

#include "sotto/sotto.h"

// A device's state: head, accounts, releases and their words, one piece of memory. It is stored as
// it is, in two slots by turns: a store that is cut leaves the other slot. The device secret has a
// slot of its own.
namespace sotto::device {

enum : uint32_t {
    flag_paused = 1,
    flag_wiped = 2, // the secret is, or was to be, erased: a new one has to be drawn
    flag_spent = 4, // the first epoch that is announced finds every budget spent
    // The serials that were obeyed are unknown: until the registry's is above the state's none is.
    flag_serial_lost = 8,
    // Accounts of metrics that an older registry lacked were erased: one that is added begins
    // spent.
    flag_forgot = 16
};

// Takes up what the port keeps, or begins it; the registry needs so many words of accounts. Sets
// client.secret and fills the memory. Errors: as sotto_init says of a blocked client.
sotto_status start_state(sotto_client &client, uint32_t needed);

// Makes the present state durable, in the slot that the last one is not in. In both slots where the
// port has a counter that might believe another stored state: after a start, and after a store that
// failed. Errors: STORAGE: the state may be stored or not, the one before it is there in any case.
// STATE_ROLLED_BACK: the counter knows of a newer one.
sotto_status save_state(sotto_client &client);
// In both slots.
sotto_status save_both(sotto_client &client);
// Stores only in the latter case, for what publishes without a charge. Errors: as save_state().
sotto_status settle_state(sotto_client &client);

// Makes a state durable, in both slots, that knows nothing but that everything is spent, and erases
// the secret. Errors: STORAGE.
sotto_status erase_state(sotto_client &client);

} // namespace sotto::device
#endif
