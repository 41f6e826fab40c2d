/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what Sotto and the firmware's own libraries make: the same, whichever of them are there.
 */
#ifdef WITH_OWN
#include "own.h"
#endif
#ifdef WITH_SOTTO
#include "metrics.h"
#include "sotto_testing.h"
#endif
#include "semihosting.h"

#include <stddef.h>
#include <stdint.h>

static void print_hex(const char *name, const uint8_t *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    char pair[3] = {0, 0, 0};
    size_t i;
    host_print(name);
    for (i = 0; i < size; ++i) {
        pair[0] = digits[bytes[i] >> 4];
        pair[1] = digits[bytes[i] & 15];
        host_print(pair);
    }
    host_print("\n");
}

#ifdef WITH_SOTTO
SOTTO_TEST_PROGRAM();
static struct {
    uint8_t before[64];
    home_client device;
    uint8_t behind[64];
} sotto;
static sotto_testing memory;
static uint8_t envelope[1024];

static int is_empty(const uint8_t *guard) {
    size_t i;
    for (i = 0; i < 64; ++i) {
        if (guard[i] != 0) {
            return 0;
        }
    }
    return 1;
}

static int sotto_begin(void) {
    sotto_port port;
    sotto_testing_init(&memory, (const uint8_t *)"own", 3, 1);
    port = sotto_testing_port(&memory);
    if (home_init(&sotto.device, &port) < 0 || sotto_advance(&sotto.device.client, 1) < 0) {
        return 20;
    }
    return sotto_report_boolean(&sotto.device.client, HOME_WINDOW_OPEN, true) < 0 ? 21 : 0;
}

static int sotto_end(void) {
    size_t length = 0;
    if (sotto_report_string(&sotto.device.client, HOME_MODEL, "B-747", 5) < 0) {
        return 22;
    }
    if (sotto_flush(&sotto.device.client, envelope, sizeof envelope, &length) < 0) {
        return 23;
    }
    print_hex("sotto ", envelope, length);
    return is_empty(sotto.before) && is_empty(sotto.behind) ? 0 : 24;
}
#endif

int main(void) {
    int status = 0;
#ifdef WITH_OWN
    uint8_t bytes[32];
    status = own_begin();
#endif
#ifdef WITH_SOTTO
    status = status != 0 ? status : sotto_begin();
#endif
#ifdef WITH_OWN
    status = status != 0 ? status : own_next(bytes);
    if (status == 0) {
        print_hex("own ", bytes, sizeof bytes);
    }
#endif
#ifdef WITH_SOTTO
    status = status != 0 ? status : sotto_end();
#endif
    return status;
}
