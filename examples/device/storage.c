/* SPDX-License-Identifier: Apache-2.0 */
#include "semihosting.h"

#include "storage.h"

static char path[208]; /* the slot at hand */
static char new_path[208];
static size_t prefix_length;
static uint32_t steps_left = UINT32_MAX;

bool storage_begin(const char *prefix) {
    for (prefix_length = 0; prefix[prefix_length] != '\0'; ++prefix_length) {
        if (prefix_length == 200) {
            return false;
        }
        path[prefix_length] = new_path[prefix_length] = prefix[prefix_length];
    }
    const char end[] = ".new";
    for (size_t i = 0; i < sizeof end; ++i) {
        new_path[prefix_length + i] = end[i];
    }
    return true;
}

void storage_cut_after(uint32_t steps) { steps_left = steps; }

static void look_at(uint32_t slot) {
    path[prefix_length] = '.';
    path[prefix_length + 1] = (char)('0' + slot);
    path[prefix_length + 2] = '\0';
}

static bool is_there(void) {
    const int file = host_open(path, HOST_READ);
    return file >= 0 && host_close(file);
}

static void do_steps(uint32_t steps) {
    steps_left = steps_left == UINT32_MAX ? steps_left : steps_left - steps;
}

static void lose_power(void) {
    host_print("the power is gone\n");
    host_exit(EXIT_POWER_CUT);
}

int32_t storage_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    (void)context;
    look_at(slot);
    const int file = host_open(path, HOST_READ);
    if (file < 0) {
        return 0;
    }
    const int32_t length = host_length(file);
    const size_t wanted =
        length < 0 || (size_t)length > capacity_bytes ? capacity_bytes : (size_t)length;
    const int32_t got = wanted == 0 ? 0 : host_read(file, bytes, wanted);
    const bool is_closed = host_close(file);
    return length >= 0 && got == (int32_t)wanted && is_closed ? length : SOTTO_ERR_STORAGE;
}

sotto_status storage_store(void *context, uint32_t slot, const uint8_t *bytes,
                           size_t length_bytes) {
    (void)context;
    look_at(slot);
    if (length_bytes == 0) {
        return !is_there() || host_remove(path) ? SOTTO_OK : SOTTO_ERR_STORAGE;
    }
    const int file = host_open(new_path, HOST_WRITE);
    if (file < 0) {
        return SOTTO_ERR_STORAGE;
    }
    const size_t now = length_bytes < steps_left ? length_bytes : steps_left;
    const bool is_written = now == 0 || host_write(file, bytes, now);
    const bool is_closed = host_close(file);
    if (!is_written || !is_closed) {
        return SOTTO_ERR_STORAGE;
    }
    do_steps((uint32_t)now);
    if (steps_left == 0) {
        lose_power();
    }
    if (!host_rename(new_path, path)) {
        return SOTTO_ERR_STORAGE;
    }
    do_steps(1);
    if (steps_left == 0) {
        lose_power();
    }
    return SOTTO_OK;
}
