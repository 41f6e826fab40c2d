/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include <sotto_nrf5x.h>
#include <stddef.h>

const char board_text[] = "microbit (Cortex-M0): entropy from its RNG peripheral";

static const sotto_port port = {.entropy = &sotto_nrf5x_entropy};

const sotto_port *board_port(const char *entropy_file) {
    (void)entropy_file;
    return &port;
}
