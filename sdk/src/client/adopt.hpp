// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_ADOPT_HPP
#define SOTTO_CLIENT_ADOPT_HPP

#include "sotto/sotto.h"

namespace sotto::device {

// The words of an account of a metric, or of the device (null).
uint32_t account_words(const sotto_registry &registry, const sotto_metric *metric);

// Accounts of the device and of all metrics, in a state that was wiped.
void begin_accounts(sotto_client &client);

// Makes a whole state that was just loaded one of this registry. Accounts and releases go over by
// metric id, those of other metrics stay or are closed. With less room for releases than it was
// stored with none stays open. The registry needs so many words of accounts. Errors:
// METRIC_CHANGED, STATE_CORRUPT.
sotto_status adopt_state(sotto_client &client, uint32_t needed);

} // namespace sotto::device
#endif
