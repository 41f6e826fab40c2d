/* SPDX-License-Identifier: Apache-2.0 */
#include "epochs.h"

enum { DAY_SECONDS = 86400 };

/* 1 November 2026: when this firmware was built. */
#define BUILT_SECONDS 1793491200u

sotto_status epoch_by_rtc(sotto_client *client, uint32_t rtc_unix_seconds) {
    return sotto_advance(client,
                         sotto_epoch_from_unix(rtc_unix_seconds, BUILT_SECONDS, DAY_SECONDS));
}

sotto_status epoch_by_uptime(sotto_client *client, sotto_uptime *kept, uint32_t passed_seconds) {
    return sotto_advance(client, sotto_epoch_from_uptime(kept, passed_seconds, DAY_SECONDS));
}

/* Until something was measured a server that was wrong can be corrected. */
sotto_status epoch_by_network(sotto_client *client, uint32_t network_unix_seconds, bool is_first) {
    const uint32_t epoch = sotto_epoch_from_unix(network_unix_seconds, BUILT_SECONDS, DAY_SECONDS);
    const sotto_status status = sotto_advance(client, epoch);
    if (!SOTTO_FAILED(status) || !is_first || epoch == UINT32_MAX) {
        return status;
    }
    const sotto_status forgotten = sotto_forget_epoch(client);
    return SOTTO_FAILED(forgotten) ? forgotten : sotto_advance(client, epoch);
}
