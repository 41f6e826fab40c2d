/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page: its header, MARKS units, then records, each followed by a unit of zeros.
 *
 * A unit that was being programmed when power went may read differently each time, and so may a
 * page that was being erased. Nothing is relied on, therefore, but what is known to be complete:
 * because something behind it was programmed. A step that may be half done is done anew, in the
 * other page, before anything is handed out.
 *
 * Marks tell how far a move to the other page came. They are burned one behind the other, and the
 * last decides. With none, the other page may hold anything. With the first, the other is erased.
 * With an odd one, the other is being filled. With an even one, the other has all and takes over.
 */
#include "sotto_flash.h"

#include <stdbool.h>

enum { HEAD_BYTES = 12, MARKS = 9, CHUNK_BYTES = 32 };

#define PAGE_MAGIC 0x31465453u   /* "STF1" */
#define RECORD_MAGIC 0x52465330u /* and the slot; no byte of either is 0 or 0xff */

/* Stands for no slot. */
enum { NO_SLOT = SOTTO_SLOT_COUNT };

/* The content at a place of a page. */
enum { BLANK, ZEROS, RECORD, OTHER };

/* In flash: its number, a length or a generation, and a checksum of both and of what follows. */
typedef struct head {
    uint32_t magic, value, checksum;
} head;

/* CRC-32 of IEEE 802.3, bit by bit. */
static uint32_t add_to_crc(uint32_t crc, const uint8_t *bytes, size_t length_bytes) {
    for (size_t i = 0; i < length_bytes; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
        }
    }
    return crc;
}

static void put_word(uint8_t *target, uint32_t word) {
    for (int i = 0; i < 4; ++i) {
        target[i] = (uint8_t)(word >> (8 * i));
    }
}

static uint32_t get_word(const uint8_t *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static bool is_all(const uint8_t *bytes, size_t length_bytes, uint8_t value) {
    uint8_t difference = 0;
    for (size_t i = 0; i < length_bytes; ++i) {
        difference |= (uint8_t)(bytes[i] ^ value);
    }
    return difference == 0;
}

/* The secret passes through here. */
static void forget(volatile uint8_t *bytes, size_t length_bytes) {
    for (size_t i = 0; i < length_bytes; ++i) {
        bytes[i] = 0;
    }
}

static uint32_t in_units(const sotto_flash *flash, uint32_t length_bytes) {
    const uint32_t unit = flash->driver->unit_bytes;
    return (length_bytes + unit - 1) / unit * unit;
}

static uint32_t first_mark(const sotto_flash *flash) { return in_units(flash, HEAD_BYTES); }

static uint32_t first_record(const sotto_flash *flash) {
    return first_mark(flash) + MARKS * flash->driver->unit_bytes;
}

static sotto_status read_at(const sotto_flash *flash, uint32_t page, uint32_t at, uint8_t *bytes,
                            size_t length_bytes) {
    const sotto_flash_driver *const driver = flash->driver;
    return driver->read(driver->context, page, at, bytes, length_bytes) == SOTTO_OK
               ? SOTTO_OK
               : SOTTO_ERR_STORAGE;
}

/* Programs `unit`. */
static sotto_status program_at(const sotto_flash *flash, uint32_t page, uint32_t at) {
    const sotto_flash_driver *const driver = flash->driver;
    return driver->program(driver->context, page, at, flash->unit) == SOTTO_OK ? SOTTO_OK
                                                                               : SOTTO_ERR_STORAGE;
}

static sotto_status erase(const sotto_flash *flash, uint32_t page) {
    const sotto_flash_driver *const driver = flash->driver;
    return driver->erase(driver->context, page) == SOTTO_OK ? SOTTO_OK : SOTTO_ERR_STORAGE;
}

static sotto_status read_head(const sotto_flash *flash, uint32_t page, uint32_t at, head *found) {
    uint8_t bytes[HEAD_BYTES];
    const sotto_status status = read_at(flash, page, at, bytes, sizeof bytes);
    found->magic = get_word(bytes);
    found->value = get_word(bytes + 4);
    found->checksum = get_word(bytes + 8);
    return status;
}

static void write_head(uint8_t *target, uint32_t magic, uint32_t value, const uint8_t *bytes,
                       size_t length_bytes) {
    put_word(target, magic);
    put_word(target + 4, value);
    const uint32_t crc = add_to_crc(UINT32_MAX, target, 8);
    put_word(target + 8, ~add_to_crc(crc, bytes, length_bytes));
}

/* Reads the rest of a record. */
static sotto_status is_checksum_right(const sotto_flash *flash, uint32_t page, uint32_t at,
                                      const head *found, bool *is_right) {
    uint8_t bytes[CHUNK_BYTES];
    put_word(bytes, found->magic);
    put_word(bytes + 4, found->value);
    uint32_t crc = add_to_crc(UINT32_MAX, bytes, 8);
    sotto_status status = SOTTO_OK;
    for (uint32_t done = 0; status == SOTTO_OK && done < found->value;) {
        const uint32_t left = found->value - done;
        const uint32_t now = left < CHUNK_BYTES ? left : CHUNK_BYTES;
        status = read_at(flash, page, at + HEAD_BYTES + done, bytes, now);
        crc = add_to_crc(crc, bytes, now);
        done += now;
    }
    forget(bytes, sizeof bytes);
    *is_right = status == SOTTO_OK && ~crc == found->checksum;
    return status;
}

/* Tells the bytes that a whole record takes, 0 where none stands, and its slot. */
static sotto_status look_for_record(const sotto_flash *flash, uint32_t page, uint32_t at,
                                    uint32_t *slot, uint32_t *size) {
    head found;
    bool is_right = false;
    const uint32_t room = flash->driver->page_bytes - at;
    *size = 0;
    if (room < HEAD_BYTES) {
        return SOTTO_OK;
    }
    sotto_status status = read_head(flash, page, at, &found);
    *slot = found.magic - RECORD_MAGIC;
    if (status == SOTTO_OK && *slot < SOTTO_SLOT_COUNT && found.value <= room - HEAD_BYTES) {
        status = is_checksum_right(flash, page, at, &found, &is_right);
        *size = is_right ? in_units(flash, HEAD_BYTES + found.value) : 0;
    }
    return status;
}

static sotto_status look_at_unit(const sotto_flash *flash, uint32_t page, uint32_t at, int *what) {
    const uint32_t size = flash->driver->unit_bytes;
    const sotto_status status = read_at(flash, page, at, flash->unit, size);
    *what = is_all(flash->unit, size, 0xff) ? BLANK : is_all(flash->unit, size, 0) ? ZEROS : OTHER;
    return status;
}

/* Tells the generation of a page; 0: it has no header. */
static sotto_status look_at_page(const sotto_flash *flash, uint32_t page, uint32_t *generation) {
    uint8_t expected[HEAD_BYTES];
    head found;
    const sotto_status status = read_head(flash, page, 0, &found);
    write_head(expected, found.magic, found.value, NULL, 0);
    const bool is_whole =
        found.magic == PAGE_MAGIC && found.checksum == get_word(expected + HEAD_BYTES - 4);
    *generation = status == SOTTO_OK && is_whole ? found.value : 0;
    return status;
}

/* Most of its bits are 0: a page that is being erased may have some anywhere. */
static bool is_burned(const uint8_t *unit, uint32_t length_bytes) {
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < 8 * length_bytes; ++i) {
        zeros += 1u & ~((uint32_t)unit[i / 8] >> (i % 8));
    }
    return zeros > 4 * length_bytes;
}

/* One behind the last that was burned. */
static sotto_status count_marks(const sotto_flash *flash, uint32_t page, uint8_t *count) {
    const uint32_t unit = flash->driver->unit_bytes;
    sotto_status status = SOTTO_OK;
    *count = 0;
    for (uint32_t i = 0; status == SOTTO_OK && i < MARKS; ++i) {
        status = read_at(flash, page, first_mark(flash) + i * unit, flash->unit, unit);
        *count = is_burned(flash->unit, unit) ? (uint8_t)(i + 1) : *count;
    }
    return status;
}

static sotto_status burn(const sotto_flash *flash, uint32_t page, uint32_t at) {
    forget(flash->unit, flash->driver->unit_bytes);
    int what = BLANK;
    sotto_status status = program_at(flash, page, at);
    if (status == SOTTO_OK) {
        status = look_at_unit(flash, page, at, &what);
    }
    return status == SOTTO_OK && what != ZEROS ? SOTTO_ERR_STORAGE : status;
}

static sotto_status mark(sotto_flash *flash, uint32_t index) {
    flash->marks = (uint8_t)(index + 1);
    return burn(flash, flash->page, first_mark(flash) + index * flash->driver->unit_bytes);
}

/* Burns mark `index`, or the next behind it that means the same, where a cut spoiled it. */
static sotto_status mark_from(sotto_flash *flash, uint32_t index) {
    sotto_status status = SOTTO_ERR_STORAGE;
    for (uint32_t i = index; status != SOTTO_OK && i < MARKS; i += 2) {
        status = mark(flash, i);
    }
    return status;
}

/* Settles all that stands before `end`: behind this unit nothing was ever begun. */
static sotto_status seal(sotto_flash *flash) {
    sotto_status status = SOTTO_ERR_STORAGE;
    while (status != SOTTO_OK && flash->end < flash->driver->page_bytes) {
        status = burn(flash, flash->page, flash->end);
        flash->end += flash->driver->unit_bytes;
    }
    flash->is_sealed = status == SOTTO_OK;
    return status;
}

/* Bytes on their way to flash, by units. */
typedef struct writer {
    const sotto_flash *flash;
    uint32_t page, at, fill;
    sotto_status status;
} writer;

static void put(writer *w, const uint8_t *bytes, size_t length_bytes) {
    const uint32_t size = w->flash->driver->unit_bytes;
    for (size_t i = 0; i < length_bytes && w->status == SOTTO_OK; ++i) {
        w->flash->unit[w->fill++] = bytes[i];
        if (w->fill == size) {
            w->status = program_at(w->flash, w->page, w->at);
            w->at += size;
            w->fill = 0;
        }
    }
}

static sotto_status finish(writer *w) {
    static const uint8_t erased = 0xff;
    while (w->fill != 0 && w->status == SOTTO_OK) {
        put(w, &erased, 1);
    }
    forget(w->flash->unit, w->flash->driver->unit_bytes);
    return w->status;
}

static bool has_room(const sotto_flash *flash, uint32_t size) {
    const uint32_t room = flash->driver->page_bytes - flash->end;
    return room >= size && room - size >= 4 * flash->driver->unit_bytes;
}

/* Goes on behind a record that was just written, if it is there. */
static sotto_status take_record(sotto_flash *flash, uint32_t slot) {
    uint32_t found = NO_SLOT, size = 0;
    const sotto_status status = look_for_record(flash, flash->page, flash->end, &found, &size);
    if (status != SOTTO_OK || size == 0 || found != slot) {
        return SOTTO_ERR_STORAGE;
    }
    flash->at[slot] = flash->end;
    flash->end += size;
    return SOTTO_OK;
}

static sotto_status append(sotto_flash *flash, uint32_t slot, const uint8_t *bytes,
                           size_t length_bytes) {
    uint8_t start[HEAD_BYTES];
    write_head(start, RECORD_MAGIC + slot, (uint32_t)length_bytes, bytes, length_bytes);
    writer w = {flash, flash->page, flash->end, 0, SOTTO_OK};
    put(&w, start, sizeof start);
    put(&w, bytes, length_bytes);
    const sotto_status status = finish(&w);
    return status == SOTTO_OK ? take_record(flash, slot) : status;
}

/* From the other page. */
static sotto_status copy(sotto_flash *flash, uint32_t slot, uint32_t from) {
    const uint32_t other = 1u - flash->page, unit = flash->driver->unit_bytes;
    uint32_t found = NO_SLOT, size = 0;
    sotto_status status = look_for_record(flash, other, from, &found, &size);
    if (status != SOTTO_OK || size == 0 || !has_room(flash, size)) {
        return SOTTO_ERR_STORAGE;
    }
    for (uint32_t i = 0; status == SOTTO_OK && i < size; i += unit) {
        status = read_at(flash, other, from + i, flash->unit, unit);
        if (status == SOTTO_OK) {
            status = program_at(flash, flash->page, flash->end + i);
        }
    }
    forget(flash->unit, unit);
    return status == SOTTO_OK ? take_record(flash, slot) : status;
}

static sotto_status write_page_head(const sotto_flash *flash) {
    uint8_t start[HEAD_BYTES];
    uint32_t generation = 0;
    write_head(start, PAGE_MAGIC, flash->generation, NULL, 0);
    writer w = {flash, flash->page, 0, 0, SOTTO_OK};
    put(&w, start, sizeof start);
    sotto_status status = finish(&w);
    if (status == SOTTO_OK) {
        status = look_at_page(flash, flash->page, &generation);
    }
    return status == SOTTO_OK && generation != flash->generation ? SOTTO_ERR_STORAGE : status;
}

/* The page in use has all; the other may hold older things. Without the mark it is erased again
 * when power comes back. */
static sotto_status erase_other(sotto_flash *flash) {
    const sotto_status status = erase(flash, 1u - flash->page);
    if (status == SOTTO_OK) {
        (void)mark(flash, 0);
    }
    return status;
}

static sotto_status fill(sotto_flash *next, const uint32_t *from, uint32_t slot,
                         const uint8_t *bytes, size_t length_bytes) {
    sotto_status status = SOTTO_OK;
    for (uint32_t i = 0; i < SOTTO_SLOT_COUNT && status == SOTTO_OK; ++i) {
        next->at[i] = 0;
        if (i != slot && from[i] != 0) {
            status = copy(next, i, from[i]);
        }
    }
    if (status == SOTTO_OK && length_bytes != 0) {
        status = append(next, slot, bytes, length_bytes);
    }
    return status == SOTTO_OK ? seal(next) : status;
}

/* Announces that the other page is being filled, and makes sure that it is erased. */
static sotto_status begin_move(sotto_flash *flash) {
    const bool is_erased = flash->marks == 1;
    const uint32_t next = flash->marks | 1u;
    if (next < MARKS - 1 && mark_from(flash, next) == SOTTO_OK && is_erased) {
        return SOTTO_OK;
    }
    return erase(flash, 1u - flash->page);
}

/* Where one cut after the other spoiled all marks, the erase that follows has to do. */
static void take_over(sotto_flash *flash) {
    const uint32_t next = (flash->marks + 1u) & ~1u;
    (void)mark_from(flash, next < MARKS ? next : MARKS - 1);
}

/* Moves all to the other page, with new bytes for one slot, and erases this one. */
static sotto_status move(sotto_flash *flash, uint32_t slot, const uint8_t *bytes,
                         size_t length_bytes) {
    sotto_flash next = *flash;
    next.page = (uint8_t)(1u - flash->page);
    next.generation = flash->generation + 1;
    next.end = first_record(flash);
    sotto_status status = begin_move(flash);
    if (status == SOTTO_OK) {
        status = fill(&next, flash->at, slot, bytes, length_bytes);
    }
    if (status == SOTTO_OK) {
        status = write_page_head(&next);
    }
    if (status == SOTTO_OK) {
        take_over(flash);
        *flash = next;
        status = erase_other(flash);
    }
    return status;
}

/* Begins with nothing stored. */
static sotto_status format(sotto_flash *flash) {
    flash->page = 0;
    flash->generation = 1;
    flash->end = first_record(flash);
    flash->is_sealed = 1;
    sotto_status status = erase(flash, flash->page);
    if (status == SOTTO_OK) {
        status = write_page_head(flash);
    }
    return status == SOTTO_OK ? erase_other(flash) : status;
}

/* Both pages have a header: the older one counts until it is marked as handed over. */
static sotto_status choose_of_both(sotto_flash *flash, uint32_t older) {
    flash->page = (uint8_t)older;
    const sotto_status status = count_marks(flash, older, &flash->marks);
    const bool is_over = flash->marks >= 3 && flash->marks % 2 != 0;
    if (status == SOTTO_OK && is_over) {
        (void)mark_from(flash, flash->marks + 1u); /* the last may be half done */
        flash->page = (uint8_t)(1u - older);
    }
    return status;
}

static sotto_status choose_page(sotto_flash *flash) {
    uint32_t generations[2] = {0, 0};
    sotto_status status = look_at_page(flash, 0, &generations[0]);
    if (status == SOTTO_OK) {
        status = look_at_page(flash, 1, &generations[1]);
    }
    const bool is_second = generations[1] > generations[0];
    flash->page = is_second;
    if (status == SOTTO_OK && generations[0] != 0 && generations[1] != 0) {
        status = choose_of_both(flash, 1u - flash->page);
    }
    flash->generation = generations[flash->page];
    return status == SOTTO_OK ? count_marks(flash, flash->page, &flash->marks) : status;
}

/* Finds the records of the page in use, and its end. It is clean when all that stands there is
 * whole and settled. */
static sotto_status scan(sotto_flash *flash, bool *is_clean) {
    const sotto_flash_driver *const driver = flash->driver;
    sotto_status status = SOTTO_OK;
    bool is_settled = true;
    *is_clean = true;
    flash->at[0] = flash->at[1] = flash->at[2] = 0;
    uint32_t at = flash->end = first_record(flash);
    while (status == SOTTO_OK && at < driver->page_bytes) {
        uint32_t slot = NO_SLOT, size = 0;
        int what = BLANK;
        status = look_at_unit(flash, flash->page, at, &what);
        if (status == SOTTO_OK && what == OTHER) {
            status = look_for_record(flash, flash->page, at, &slot, &size);
        }
        if (size != 0) {
            flash->at[slot] = at;
        }
        *is_clean = *is_clean && (what != OTHER || size != 0);
        at += size != 0 ? size : driver->unit_bytes;
        flash->end = what != BLANK ? at : flash->end;
        is_settled = what == BLANK ? is_settled : size == 0;
    }
    *is_clean = *is_clean && is_settled;
    return status;
}

/* Puts the page in use in order. */
static sotto_status settle(sotto_flash *flash) {
    bool is_clean = false;
    sotto_status status = scan(flash, &is_clean);
    if (status != SOTTO_OK) {
        return status;
    }
    if (flash->marks == 0 && flash->generation == 1 && flash->end == first_record(flash)) {
        return format(flash);
    }
    return is_clean && flash->marks == 1 ? SOTTO_OK : move(flash, NO_SLOT, NULL, 0);
}

static sotto_status open_pages(sotto_flash *flash) {
    if (flash->is_open) {
        return SOTTO_OK;
    }
    flash->is_sealed = 0;
    sotto_status status = choose_page(flash);
    if (status == SOTTO_OK) {
        status = flash->generation == 0 ? format(flash) : settle(flash);
    }
    flash->is_open = status == SOTTO_OK;
    return status;
}

/* The bytes of all slots, one of them anew. */
static sotto_status count_bytes(const sotto_flash *flash, uint32_t slot, size_t length_bytes,
                                uint32_t *sum) {
    sotto_status status = SOTTO_OK;
    *sum = in_units(flash, HEAD_BYTES + (uint32_t)length_bytes);
    for (uint32_t i = 0; i < SOTTO_SLOT_COUNT && status == SOTTO_OK; ++i) {
        if (i != slot && flash->at[i] != 0) {
            head found;
            status = read_head(flash, flash->page, flash->at[i], &found);
            *sum += in_units(flash, HEAD_BYTES + found.value);
        }
    }
    return status;
}

static sotto_status move_if_it_fits(sotto_flash *flash, uint32_t slot, const uint8_t *bytes,
                                    size_t length_bytes) {
    sotto_flash empty = *flash;
    empty.end = first_record(flash);
    uint32_t sum = 0;
    const sotto_status status = count_bytes(flash, slot, length_bytes, &sum);
    if (status != SOTTO_OK || !has_room(&empty, sum)) {
        return SOTTO_ERR_STORAGE;
    }
    return move(flash, slot, bytes, length_bytes);
}

static sotto_status add(sotto_flash *flash, uint32_t slot, const uint8_t *bytes,
                        size_t length_bytes) {
    const uint32_t unit = flash->driver->unit_bytes;
    const uint32_t size = in_units(flash, HEAD_BYTES + (uint32_t)length_bytes);
    const bool is_ready =
        has_room(flash, size + unit) && (flash->is_sealed || seal(flash) == SOTTO_OK);
    if (!is_ready || !has_room(flash, size)) {
        return move_if_it_fits(flash, slot, bytes, length_bytes);
    }
    const sotto_status status = append(flash, slot, bytes, length_bytes);
    return status == SOTTO_OK ? seal(flash) : status;
}

int32_t sotto_flash_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    sotto_flash *const flash = (sotto_flash *)context;
    head found;
    if (slot >= SOTTO_SLOT_COUNT || open_pages(flash) != SOTTO_OK) {
        return SOTTO_ERR_STORAGE;
    }
    const uint32_t at = flash->at[slot];
    if (at == 0) {
        return 0;
    }
    if (read_head(flash, flash->page, at, &found) != SOTTO_OK ||
        found.value > flash->driver->page_bytes - at - HEAD_BYTES) { /* it was whole before */
        return SOTTO_ERR_STORAGE;
    }
    const size_t length = found.value < capacity_bytes ? found.value : capacity_bytes;
    const sotto_status status = read_at(flash, flash->page, at + HEAD_BYTES, bytes, length);
    return status == SOTTO_OK ? (int32_t)found.value : SOTTO_ERR_STORAGE;
}

/* Replaced bytes stay until the page is erased; erasing a slot erases the page. */
sotto_status sotto_flash_store(void *context, uint32_t slot, const uint8_t *bytes,
                               size_t length_bytes) {
    sotto_flash *const flash = (sotto_flash *)context;
    if (slot >= SOTTO_SLOT_COUNT || length_bytes > flash->driver->page_bytes ||
        open_pages(flash) != SOTTO_OK) {
        return SOTTO_ERR_STORAGE;
    }
    sotto_status status = SOTTO_OK;
    if (length_bytes != 0) {
        status = add(flash, slot, bytes, length_bytes);
    } else if (flash->at[slot] != 0) {
        status = move(flash, slot, NULL, 0);
    }
    flash->is_open = status == SOTTO_OK;
    return status;
}
