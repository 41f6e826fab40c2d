/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storage of one client in two pages of raw NOR flash, for load and store of a sotto_port:
 *   static uint8_t unit[8];
 *   static sotto_flash flash = {.driver = &driver, .unit = unit};
 *   static const sotto_port port = {
 *       .context = &flash, .load = sotto_flash_load, .store = sotto_flash_store, ...};
 * A store appends to one page; a page that is full moves to the other. README.md has wear and
 * sizes.
 */
#ifndef SOTTO_FLASH_H
#define SOTTO_FLASH_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most that `unit_bytes` may be. */
enum { SOTTO_FLASH_UNIT_BYTES_MAX = 32 };

/* The least page for a state of so many bytes, NAME_STATE_BYTES of the generated header. A page
 * that is smaller refuses stores with SOTTO_ERR_STORAGE. Let the compiler compare:
 *   static_assert(PAGE_BYTES >= SOTTO_FLASH_PAGE_BYTES_MIN(NAME_STATE_BYTES, UNIT_BYTES), "page");
 * A page that is larger is erased less often. */
#define SOTTO_FLASH_PAGE_BYTES_MIN(state_bytes, unit_bytes)                                        \
    (SOTTO_FLASH_IN_UNITS(0, unit_bytes) + 13 * (unit_bytes) +                                     \
     SOTTO_FLASH_IN_UNITS(40, unit_bytes) + 2 * SOTTO_FLASH_IN_UNITS(state_bytes, unit_bytes))
/* A head of 12 bytes and what follows it. */
#define SOTTO_FLASH_IN_UNITS(bytes, unit_bytes)                                                    \
    ((12 + (bytes) + (unit_bytes)-1) / (unit_bytes) * (unit_bytes))

/* Two pages, 0 and 1, whose erased bytes read as 0xff. Functions answer SOTTO_OK or an error; each
 * wait in them is bounded. */
typedef struct sotto_flash_driver {
    void *context;       /* handed to the functions as it is; may be null */
    uint32_t page_bytes; /* each page's: one erase block or more, a multiple of unit_bytes */
    uint32_t unit_bytes; /* programmed at once: 1 to SOTTO_FLASH_UNIT_BYTES_MAX */

    /* Erases all of a page. */
    sotto_status (*erase)(void *context, uint32_t page);
    /* Programs one unit at `offset`, a multiple of unit_bytes. Each was erased since it was
     * programmed last, but for a unit that a power cut left half programmed and that reads as
     * erased. Such a unit may be programmed over, with zeros, and the flash may refuse that. */
    sotto_status (*program)(void *context, uint32_t page, uint32_t offset, const uint8_t *unit);
    /* Reads. Bytes whose ECC fails for good count as torn: hand out zeros. An error is for what may
     * pass. */
    sotto_status (*read)(void *context, uint32_t page, uint32_t offset, uint8_t *bytes,
                         size_t length_bytes);
} sotto_flash_driver;

/* The first two are yours to set, the others begin as zeros. */
typedef struct sotto_flash {
    const sotto_flash_driver *driver; /* must outlive this */
    uint8_t *unit;                    /* unit_bytes of RAM, aligned as `program` needs it */
    uint32_t generation;              /* the page in use: how many pages were begun so far */
    uint32_t end;                     /* all bytes behind it in the page are erased */
    uint32_t at[SOTTO_SLOT_COUNT];    /* each slot's record in the page; 0: none */
    uint8_t page;                     /* in use */
    uint8_t marks;                    /* marks in the page, so far */
    uint8_t is_open;                  /* 1: the others hold */
    uint8_t is_sealed;                /* 1: `end` is settled, since power came */
} sotto_flash;

/* `load` and `store` of a sotto_port whose context is a sotto_flash. The first call after a power
 * cut puts the pages in order and may erase. Errors: STORAGE; call again. */
int32_t sotto_flash_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes);
sotto_status sotto_flash_store(void *context, uint32_t slot, const uint8_t *bytes,
                               size_t length_bytes);

#ifdef __cplusplus
}
#endif
#endif
