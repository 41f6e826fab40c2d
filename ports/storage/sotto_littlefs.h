/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of one client in three files of a littlefs that is mounted, for load and store of a
 * sotto_port. */
#ifndef SOTTO_LITTLEFS_H
#define SOTTO_LITTLEFS_H

#include "sotto/port.h"

#include <lfs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All yours to set. */
typedef struct sotto_littlefs {
    lfs_t *lfs;                          /* mounted, and open to nobody else meanwhile */
    void *cache;                         /* cache_size bytes of the lfs_config, for one open file */
    const char *paths[SOTTO_SLOT_COUNT]; /* no other client has them; their directory is there */
} sotto_littlefs;

/* The context is a sotto_littlefs. A file is replaced as a whole or not at all. Errors: STORAGE. */
int32_t sotto_littlefs_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes);
sotto_status sotto_littlefs_store(void *context, uint32_t slot, const uint8_t *bytes,
                                  size_t length_bytes);

#ifdef __cplusplus
}
#endif
#endif
