/* SPDX-License-Identifier: Apache-2.0 */
/* One of two modules of a program, each with a registry and a client of its own. */
#include "metrics.h"
#include "modules.h"

static lock_client device;

sotto_status lock_report(const sotto_port *port, uint8_t *bytes, size_t capacity_bytes,
                         size_t *length_bytes) {
    sotto_status status = lock_init(&device, port);
    if (!SOTTO_FAILED(status))
        status = sotto_advance(&device.client, 1);
    if (!SOTTO_FAILED(status))
        status = sotto_report_boolean(&device.client, LOCK_IS_OPEN, true);
    if (SOTTO_FAILED(status))
        return status;
    return sotto_flush(&device.client, bytes, capacity_bytes, length_bytes);
}
