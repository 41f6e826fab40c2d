/* SPDX-License-Identifier: Apache-2.0 */
/* Three ways to an epoch of a day, each for one kind of device. docs/EPOCHS.md compares them. */
#ifndef EPOCHS_H
#define EPOCHS_H

#include <sotto/epoch.h>
#include <sotto/sotto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For a device with a battery-backed clock. */
sotto_status epoch_by_rtc(sotto_client *client, uint32_t rtc_unix_seconds);

/* For a device without a clock: passed_seconds since the last call, in this run. `kept` is loaded
 * at the start and stored after each call. */
sotto_status epoch_by_uptime(sotto_client *client, sotto_uptime *kept, uint32_t passed_seconds);

/* For a device that asks a server for the time, mostly in vain. is_first: it never measured yet. */
sotto_status epoch_by_network(sotto_client *client, uint32_t network_unix_seconds, bool is_first);

#ifdef __cplusplus
}
#endif
#endif
