/* SPDX-License-Identifier: Apache-2.0 */
/* Both modules report, each to its own file. A second run finds both measured already. */
#include "modules.h"

#include <sotto_posix.h>
#include <stdio.h>

static int write_batch(const char *name, const uint8_t *bytes, size_t length_bytes) {
    FILE *file = fopen(name, "wb");
    if (file == NULL)
        return 1;
    const size_t written = fwrite(bytes, 1, length_bytes, file);
    return fclose(file) == 0 && written == length_bytes ? 0 : 1;
}

int main(void) {
    static sotto_posix lock_files, lamp_files;
    const sotto_port lock_port = sotto_posix_port(&lock_files, "lock_state");
    const sotto_port lamp_port = sotto_posix_port(&lamp_files, "lamp_state");
    uint8_t bytes[256];
    size_t length = 0;
    sotto_status status = lock_report(&lock_port, bytes, sizeof bytes, &length);
    if (!SOTTO_FAILED(status) && write_batch("lock.bin", bytes, length) != 0)
        return 1;
    printf("lock: %s\n", sotto_status_text(status));
    status = lamp_report(&lamp_port, bytes, sizeof bytes, &length);
    if (!SOTTO_FAILED(status) && write_batch("lamp.bin", bytes, length) != 0)
        return 1;
    printf("lamp: %s\n", sotto_status_text(status));
    return 0;
}
