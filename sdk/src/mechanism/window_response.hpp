// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_WINDOW_RESPONSE_HPP
#define SOTTO_MECHANISM_WINDOW_RESPONSE_HPP

#include "sotto/registry.h"

#include <stdint.h>

namespace sotto {

// The square wave of Li, Wang, Lopuhaä-Zwakenberg, Li, Škorić (SIGMOD 2020) in integers: MIX whose
// supporting answers are a window around the value's bin.
//
// The bin of a number that is within min ... max: floor((value - min) * bins / (max - min + 1)).
// Pure; fixed time for every value.
uint32_t bin_of(const sotto_window_response &table, uint32_t value);

} // namespace sotto
#endif
