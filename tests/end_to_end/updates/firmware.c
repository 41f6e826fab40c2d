/* SPDX-License-Identifier: Apache-2.0 */
/* firmware FOLDER EPOCH: a device that keeps its state in a folder. Prints what starting answers,
 * then what a report of each of the metrics 1 to 3 answers, and sends the batch to nobody. */
#include "metrics.h"

#include "sotto_posix.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    static sotto_posix posix;
    static home_client device;
    static uint8_t batch[HOME_FLUSH_BYTES_MAX];
    sotto_port port;
    sotto_status status;
    size_t length = 0;
    uint16_t id;
    if (count != 3) {
        fprintf(stderr, "usage: firmware FOLDER EPOCH\n");
        return 2;
    }
    port = sotto_posix_port(&posix, arguments[1]);
    status = home_init(&device, &port);
    printf("%d", status);
    if (!SOTTO_FAILED(status)) {
        status = sotto_advance(&device.client, (uint32_t)strtoul(arguments[2], NULL, 10));
        for (id = 1; id <= 3; ++id) {
            printf(" %d", sotto_report_boolean(&device.client, id, true));
        }
        status = sotto_flush(&device.client, batch, sizeof batch, &length);
    }
    printf("\n");
    return SOTTO_FAILED(status) ? 1 : 0;
}
