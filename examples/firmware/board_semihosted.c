/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU gives these machines no random generator: the host's bytes come in through a file. */
#include "board.h"
#include "semihosting.h"

#include <stddef.h>

const char board_text[] =
    BOARD_NAME ": this machine has no random generator; entropy from a file of the host";

static int file = -1;

static int32_t entropy(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context;
    return host_read(file, bytes, length_bytes);
}

static const sotto_entropy source = {.read = entropy, .source = SOTTO_SOURCE_CSPRNG};

const sotto_entropy *board_entropy(const char *entropy_file) {
    file = entropy_file == NULL ? -1 : host_open(entropy_file, HOST_READ);
    return file < 0 ? NULL : &source;
}
