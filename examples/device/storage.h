/* SPDX-License-Identifier: Apache-2.0 */
/* The slots as files of the host: PREFIX.0 to PREFIX.2, each replaced by renaming PREFIX.new. As
 * durable as the host's file system is without a sync. */
#ifndef STORAGE_H
#define STORAGE_H

#include <sotto/port.h>

/* Both become part of a port; the context is not used. */
int32_t storage_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes);
sotto_status storage_store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes);

/* Where; at most 200 characters, and they must stay. False when they are more. */
bool storage_begin(const char *prefix);

/* The power goes in this run, once so much was done: a step is each byte of a store, and then its
 * renaming. */
void storage_cut_after(uint32_t steps);

enum { EXIT_POWER_CUT = 9 };

#endif
