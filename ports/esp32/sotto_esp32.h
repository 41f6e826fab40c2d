/* SPDX-License-Identifier: Apache-2.0 */
/* ESP-IDF's esp_fill_random, and a lock, on any ESP32: random only while one of its noise sources
 * runs. */
#ifndef SOTTO_ESP32_H
#define SOTTO_ESP32_H

#include "sotto/port.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_esp32 {
    /*
     * Whether a noise source runs now: Wi-Fi or Bluetooth is started and awake, or
     * bootloader_random_enable() was called and bootloader_random_disable() was not. Nothing on the
     * chip tells, so the program has to; it is asked before and after the bytes are taken.
     */
    bool (*source_is_live)(void);
} sotto_esp32;

/* `esp32` must outlive the source. Errors: ENTROPY_WEAK when no source runs, or nobody said so. */
sotto_entropy sotto_esp32_entropy(const sotto_esp32 *esp32);

/*
 * For `lock` and `unlock` of a sotto_port: one mutex for all clients, whose context is not looked
 * at. Tasks wait for each other; an interrupt can't have it, so a call from one answers BUSY. Make
 * it once, before the first client; without, every call answers BUSY.
 */
void sotto_esp32_make_lock(void);
sotto_status sotto_esp32_lock(void *context);
void sotto_esp32_unlock(void *context);

#ifdef __cplusplus
}
#endif
#endif
