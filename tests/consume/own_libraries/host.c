/* SPDX-License-Identifier: Apache-2.0 */
#include "semihosting.h"

#include <stdio.h>

void host_print(const char *text) { fputs(text, stdout); }
