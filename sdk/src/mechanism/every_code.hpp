// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_MECHANISM_EVERY_CODE_HPP
#define SOTTO_MECHANISM_EVERY_CODE_HPP

#include "sotto/registry.h"

// For tables that are made at run time, by programs that need every mechanism.
namespace sotto {

// The code of SOTTO_MECHANISM_...; null: there is no such mechanism, or nothing above its ladder.
const sotto_code *code_of(uint8_t mechanism);
const sotto_forward_code *forward_code_of(uint8_t mechanism);

} // namespace sotto
#endif
