/* SPDX-License-Identifier: Apache-2.0 */
/* One task measures a day every few ticks, another sends. They share a client. */
#include "metrics.h"
#include "sotto_freertos.h"
#include "sotto_posix.h"

#include <FreeRTOS.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <task.h>

enum { DAYS = 10, STACK_WORDS = 1024 };

static door_client door;
static sotto_posix files;
static sotto_port port;
static sotto_status (*write_slot)(void *, uint32_t, const uint8_t *, size_t);

static volatile bool is_over;

static void check(const char *task, sotto_status status) {
    if (SOTTO_FAILED(status)) {
        printf("%s: %s\n", task, sotto_status_text(status));
        exit(1);
    }
}

/* As slow as flash. */
static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length) {
    vTaskDelay(20);
    return write_slot(context, slot, bytes, length);
}

static void measure(void *unused) {
    (void)unused;
    for (uint32_t day = 0; day < DAYS; ++day) {
        check("measure", sotto_advance(&door.client, day));
        check("measure", sotto_report_boolean(&door.client, DOOR_OPEN, true));
        vTaskDelay(5);
    }
    is_over = true;
    for (;;) {
        vTaskDelay(1000);
    }
}

static void radio(void *unused) {
    (void)unused;
    static uint8_t batch[DOOR_FLUSH_BYTES_MAX];
    size_t sent_bytes = 0;
    while (!is_over || sotto_pending(&door.client) != 0) {
        if (sotto_pending(&door.client) != 0) { /* before the first day there is nothing */
            size_t length = 0;
            check("radio", sotto_flush(&door.client, batch, sizeof batch, &length));
            sent_bytes += length;
        }
        vTaskDelay(3);
    }
    printf("%u days are measured and sent\n", sent_bytes != 0 ? (unsigned)DAYS : 0);
    exit(0);
}

int main(void) {
    static StackType_t stacks[2][STACK_WORDS];
    static StaticTask_t tasks[2];
    port = sotto_posix_port(&files, "door_state");
    write_slot = port.store;
    port.store = store;
    port.lock = sotto_freertos_lock;
    port.unlock = sotto_freertos_unlock;
    sotto_freertos_make_lock();
    check("start", door_init(&door, &port));
    xTaskCreateStatic(measure, "measure", STACK_WORDS, NULL, 1, stacks[0], &tasks[0]);
    xTaskCreateStatic(radio, "radio", STACK_WORDS, NULL, 2, stacks[1], &tasks[1]);
    vTaskStartScheduler();
    return 1;
}
