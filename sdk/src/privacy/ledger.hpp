// SPDX-License-Identifier: Apache-2.0
// A budget account: the charges of the last epochs, in slots that the caller owns.
//
// The cost of any `window` epochs that follow one another, 1 to 64, stays within the budget. A
// charge goes to the epoch of its measurement, a relaxation's too. The windows that it can overfill
// therefore reach back from there by as much as they reach forward: 2 window - 1 slots. slots[0] is
// the present epoch, slots[i] the one i epochs ago. A window of 0 is no budget: no slots, and all
// is allowed.
//
// Costs add up over slots, or depend on how many releases a window has: shared_noise.hpp. Costs and
// budgets are in 2^-20 epsilon. All of it is public, so that time and branches may depend on it.
// Functions without state of their own: safe for threads that do not share slots. Source: Fang,
// Chang, ASIACCS 2014, Theorem 2; README.md.
#ifndef SOTTO_PRIVACY_LEDGER_HPP
#define SOTTO_PRIVACY_LEDGER_HPP

#include <stdint.h>

namespace sotto::ledger {

// 2000 epsilon: below what a slot, or a table of costs, says of all that it can't hold.
inline constexpr uint32_t budget_max = uint32_t{2000} << 20;
// A slot of an epoch whose past is not known, or was erased: above every budget.
inline constexpr uint32_t exhausted = UINT32_MAX;

constexpr uint32_t slot_count(uint32_t window) { return window == 0 ? 0 : 2 * window - 1; }

// The present moves on by any number of epochs; what is further back than the slots is forgotten.
void advance(uint32_t *slots, uint32_t window, uint32_t epochs);

// Leaves nothing to spend for a whole window.
void exhaust(uint32_t *slots, uint32_t window);

// Where charges add up: one more in a slot, and what so many slots cost together.
void add(uint32_t &slot, uint32_t cost);
uint64_t sum(const uint32_t *slots, uint32_t epochs);

// Below, cost(i, n) is the cost of the n slots from slot i on together. It never falls with more of
// them.

// Do all windows that contain the epoch `age` epochs ago stay within the budget? Never where that
// epoch lies outside of the present window. Windows that begin later than now hold no more.
template <typename Cost>
bool is_kept(uint32_t window, uint32_t budget, uint32_t age, const Cost &cost) {
    for (uint32_t newest = 0; window > 0 && newest <= age; ++newest) {
        if (age >= window || cost(newest, window) > budget) {
            return false;
        }
    }
    return true;
}

// With a new measurement charged to slot 0: in how many epochs would it fit if nothing else is
// spent? 0 if it does now; a whole window where only it alone fits.
template <typename Cost> uint32_t frees_in(uint32_t window, uint32_t budget, const Cost &cost) {
    uint32_t kept = window;
    while (kept > 0 && cost(0, kept) > budget) {
        --kept;
    }
    return window - kept;
}

} // namespace sotto::ledger
#endif
