/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deterministic port for unit tests of your own code. THE NOISE IS PREDICTABLE: nothing made with
 * it is private.
 * A program that links it must say SOTTO_TEST_PROGRAM() once, at file scope. Without it the linker
 * stops at the undefined symbol sotto_this_program_is_a_test. So no release picks it up by
 * accident.
 */
#ifndef SOTTO_TESTING_H
#define SOTTO_TESTING_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#define SOTTO_TEST_PROGRAM() extern "C" const int sotto_this_program_is_a_test = 1
#else
#define SOTTO_TEST_PROGRAM()                                                                       \
    extern const int sotto_this_program_is_a_test;                                                 \
    const int sotto_this_program_is_a_test = 1
#endif

/* The most that a slot holds: storing more fails. NAME_client's `state` is what needs it. */
#ifndef SOTTO_TESTING_SLOT_BYTES
#define SOTTO_TESTING_SLOT_BYTES 8192
#endif

/* Its storage outlasts the client and sotto_wipe, not the program. */
typedef struct sotto_testing {
    uint64_t state;
    sotto_entropy entropy;
    size_t lengths_bytes[SOTTO_SLOT_COUNT];
    uint8_t slots[SOTTO_SLOT_COUNT][SOTTO_TESTING_SLOT_BYTES];
    uint8_t mac_key[32]; /* outside the slots: what is put there by hand is refused */
} sotto_testing;

/* Same seed and device number: same bytes. Different device numbers: unrelated bytes. Empties the
 * slots. */
void sotto_testing_init(sotto_testing *testing, const uint8_t *seed, size_t seed_bytes,
                        uint64_t device);

/* The port refers to `testing`, which must outlive it and stay where it is. */
sotto_port sotto_testing_port(sotto_testing *testing);

#ifdef __cplusplus
}
#endif
#endif
