/* SPDX-License-Identifier: Apache-2.0 */
/* A lamp reports whether it was lit, day by day; its power goes each night. porting REPORTS DAYS */
#include "acorn.h"
#include "metrics.h"
#include "semihosting.h"

#include <sotto/sotto.h>
#include <string.h>

static lamp_client device; /* all the memory that Sotto uses */
static sotto_flash flash;
static uint8_t unit[4];
static uint8_t buffer[LAMP_FLUSH_BYTES_MIN];

static sotto_status start(uint32_t day) {
    flash = (sotto_flash){.driver = &acorn_flash, .unit = unit};
    const sotto_port port = {.context = &flash,
                             .load = sotto_flash_load,
                             .store = sotto_flash_store,
                             .entropy = &acorn_entropy};
    const sotto_status status = lamp_init(&device, &port);
    return SOTTO_FAILED(status) ? status : sotto_advance(&device.client, day);
}

static sotto_status report(bool was_lit, int reports) {
    size_t length = 0;
    sotto_status status = sotto_report_boolean(&device.client, LAMP_WAS_LIT, was_lit);
    if (!SOTTO_FAILED(status)) {
        status = sotto_flush(&device.client, buffer, sizeof buffer, &length);
    }
    if (!SOTTO_FAILED(status) && !host_write(reports, buffer, length)) {
        status = SOTTO_ERR_STORAGE;
    }
    return SOTTO_FAILED(status) ? status : sotto_acknowledge(&device.client);
}

/* All that a loss of power leaves is flash. */
static void lose_power(void) {
    memset(&device, 0, sizeof device);
    memset(&flash, 0, sizeof flash);
}

static void say(const char *what, sotto_status status) {
    host_print(what);
    host_print(sotto_status_text(status));
    host_print("\n");
}

int main(void) {
    char line[128];
    char *argument[2] = {0};
    const int count = host_arguments(line, sizeof line, argument, 2);
    const int reports = count == 2 ? host_open(argument[0], HOST_WRITE) : -1;
    if (reports < 0) {
        host_print("porting REPORTS DAYS: a file that can be written, a digit\n");
        return 1;
    }
    for (uint32_t day = 1; day <= (uint32_t)(argument[1][0] - '0'); ++day) {
        for (uint32_t try = 0; try < 2; ++try) {
            sotto_status status = start(day);
            status = SOTTO_FAILED(status) ? status : report(day % 2 == 0, reports);
            host_print_number(day);
            say(try == 0 ? ": " : ", after a loss of power: ", status);
            lose_power();
        }
    }
    return host_close(reports) ? 0 : 1;
}
