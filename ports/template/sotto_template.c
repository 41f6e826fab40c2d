/* SPDX-License-Identifier: Apache-2.0 */
#include "sotto_template.h"

/*
 * Fill bytes[0 .. length_bytes) from your hardware's random source and return length_bytes.
 * Bound every wait and return SOTTO_ERR_ENTROPY_TIMEOUT when it runs out. Where the hardware can
 * tell that its source is bad, return SOTTO_ERR_ENTROPY_FAILED. rand() and a tick counter are not
 * random sources. Say below what the source is: of a raw one each byte is a sample, and
 * sample_bits and min_entropy_millibits have to be there too.
 */
static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context;
    (void)bytes;
    (void)length_bytes;
    return SOTTO_ERR_ENTROPY_FAILED;
}

/*
 * Copy what was stored in `slot` (below SOTTO_SLOT_COUNT) to bytes, at most capacity_bytes of it.
 * Return how long it is as a whole; 0 when nothing was stored or it was erased. Return
 * SOTTO_ERR_STORAGE when you can't tell.
 */
static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    (void)context;
    (void)slot;
    (void)bytes;
    (void)capacity_bytes;
    return SOTTO_ERR_STORAGE;
}

/*
 * Replace what is in `slot`: after a loss of power it holds either the old bytes or the new ones.
 * Return SOTTO_OK once it is certain to be the new ones. Length 0 erases.
 */
static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    (void)context;
    (void)slot;
    (void)bytes;
    (void)length_bytes;
    return SOTTO_ERR_STORAGE;
}

/*
 * To authenticate what is stored, write a mac and name it below. It uses a secure element's
 * command, or a key of 32 bytes that stands outside the storage and differs from device to device:
 *   static sotto_status mac(void *context, const uint8_t *digest, uint8_t *tag) {
 *       return sotto_hmac_sha256(key, digest, tag);
 *   }
 */

static const sotto_entropy entropy = {.read = take, .source = SOTTO_SOURCE_CSPRNG};

const sotto_port sotto_template_port = {.load = load, .store = store, .entropy = &entropy};
