/* SPDX-License-Identifier: Apache-2.0 */
/* The headers that nanopb's PB_SYSTEM_HEADER has to bring, and the names that keep ours apart. */
#ifndef SOTTO_NANOPB_CONFIG_H
#define SOTTO_NANOPB_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "nanopb_names.h"

#endif
