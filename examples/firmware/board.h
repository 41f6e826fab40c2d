/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BOARD_H
#define BOARD_H

#include <sotto/port.h>

/* Where the board's randomness comes from; null when that needs a file and there is none. */
const sotto_entropy *board_entropy(const char *entropy_file);

/* One line that says so. */
extern const char board_text[];

#endif
