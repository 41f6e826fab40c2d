/* SPDX-License-Identifier: Apache-2.0 */
#include "sotto_template.h"

/*
 * Fill bytes[0 .. length_bytes) from your hardware's random source and return length_bytes.
 * Bound every wait and return SOTTO_ERR_ENTROPY_TIMEOUT when it runs out. Where the hardware can
 * tell that its source is bad, return SOTTO_ERR_ENTROPY_FAILED. rand() and a tick counter are not
 * random sources.
 */
static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context;
    (void)bytes;
    (void)length_bytes;
    return SOTTO_ERR_ENTROPY_FAILED;
}

static const sotto_entropy entropy = {.read = take, .source = SOTTO_SOURCE_CSPRNG};

const sotto_port sotto_template_port = {.entropy = &entropy};
