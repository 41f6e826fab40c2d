// SPDX-License-Identifier: Apache-2.0
// What a budget account remembers: the charges of the last epochs, in slots that the caller owns.
//
// Epsilon of any `window` epochs that follow one another, 1 to 64, stays within the budget. A
// charge goes to the epoch of its measurement, a relaxation's too, so that the windows that it can
// overfill reach back from there by as much as they reach forward: 2 window - 1 slots.
// slots[0] is the present epoch, slots[i] the one i epochs ago. A window of 0 is no budget: no
// slots, and all is allowed.
//
// Costs and budgets are in 2^-20 epsilon. All of it is public, so that time and branches may depend
// on it. Functions without state of their own: safe for threads that do not share slots.
// Source: Fang, Chang, ASIACCS 2014, Theorem 2; README.md.
#ifndef SOTTO_PRIVACY_LEDGER_HPP
#define SOTTO_PRIVACY_LEDGER_HPP

#include <stdint.h>

namespace sotto::ledger {

inline constexpr uint32_t never = UINT32_MAX;

constexpr uint32_t slot_count(uint32_t window) { return window == 0 ? 0 : 2 * window - 1; }

// The present moves on by any number of epochs; what is further back than the slots is forgotten.
void advance(uint32_t *slots, uint32_t window, uint32_t epochs);

// Does every window that contains the epoch `age` epochs ago still have room for the cost? Never
// where that epoch lies outside of the present window.
bool can_spend(const uint32_t *slots, uint32_t window, uint32_t budget, uint32_t age,
               uint32_t cost);

// Charges the cost to that epoch if it can, otherwise changes nothing and says false.
bool spend(uint32_t *slots, uint32_t window, uint32_t budget, uint32_t age, uint32_t cost);

// In how many epochs the cost of a new measurement will fit if nothing else is spent; 0 if it does
// now, `never` if it is above the budget. What does not fit at an age never will: the windows that
// are full are in the past, or stay as full as they are.
uint32_t frees_in(const uint32_t *slots, uint32_t window, uint32_t budget, uint32_t cost);

// Leaves nothing to spend for a whole window: an account whose past is not known, or was erased.
void exhaust(uint32_t *slots, uint32_t window);

} // namespace sotto::ledger
#endif
