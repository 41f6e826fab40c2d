// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_ADOPT_HPP
#define SOTTO_CLIENT_ADOPT_HPP

#include "sotto/sotto.h"

namespace sotto::device {

// The words of an account of a metric, or of the device (null).
uint32_t account_words(const sotto_registry &registry, const sotto_metric *metric);

// A new account of a metric, or of the device (null), `at` words behind the first.
void append_account(const sotto_client &client, const sotto_metric *metric, uint32_t at);

// Makes a whole state that was just loaded one of this registry. Accounts and releases go over by
// metric id; with less room for releases than it was stored with none stays open. Errors:
// METRIC_CHANGED, STATE_CORRUPT.
sotto_status adopt_state(sotto_client &client);

} // namespace sotto::device
#endif
