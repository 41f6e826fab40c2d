/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include <sotto_nrf5x.h>
#include <stddef.h>

const char board_text[] = "microbit (Cortex-M0): entropy from its RNG peripheral";

const sotto_entropy *board_entropy(const char *entropy_file) {
    (void)entropy_file;
    return &sotto_nrf5x_entropy;
}
