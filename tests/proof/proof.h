/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of a harness to CBMC, and the types of a machine with 32 bits. */
#ifndef PROOF_H
#define PROOF_H

#ifdef __CPROVER__

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;

uint32_t nondet_any(void);
static uint32_t proof_any(void) { return nondet_any(); }
static void proof_assume(uint8_t holds) { __CPROVER_assume(holds); }
static void proof_assert(uint8_t holds) { __CPROVER_assert(holds, "what the harness says"); }
static void proof_fill(uint8_t *bytes, size_t length_bytes) {
    if (length_bytes != 0) {
        __CPROVER_havoc_slice(bytes, length_bytes);
    }
}
static void proof_read(const uint8_t *bytes, size_t length_bytes) {
    __CPROVER_assert(__CPROVER_r_ok(bytes, length_bytes), "bytes to read");
}
static void proof_write(uint8_t *bytes, size_t length_bytes) {
    __CPROVER_assert(__CPROVER_w_ok(bytes, length_bytes), "bytes to write");
    proof_fill(bytes, length_bytes);
}

/* As the compiler copies objects. */
static void proof_copy(void *target, const void *from, size_t length_bytes) {
    __CPROVER_assert(__CPROVER_r_ok(from, length_bytes), "bytes to copy");
    __CPROVER_assert(__CPROVER_w_ok(target, length_bytes), "room for a copy");
    if (length_bytes != 0) {
        uint8_t bytes[length_bytes];
        __CPROVER_array_copy(bytes, (uint8_t *)from);
        __CPROVER_array_replace((uint8_t *)target, bytes);
    }
}
static void proof_set(void *target, uint8_t value, size_t length_bytes) {
    __CPROVER_assert(__CPROVER_w_ok(target, length_bytes), "room for bytes");
    if (length_bytes != 0) {
        uint8_t bytes[length_bytes];
        __CPROVER_array_set(bytes, value);
        __CPROVER_array_replace((uint8_t *)target, bytes);
    }
}

#else

#include <stddef.h>
#include <stdint.h>

extern "C" {
uint32_t proof_any();                                       // any number
void proof_assume(uint8_t holds);                           // looks at no other case
void proof_assert(uint8_t holds);                           // must hold
void proof_fill(uint8_t *bytes, size_t length_bytes);       // any bytes
void proof_read(const uint8_t *bytes, size_t length_bytes); // they may be read
void proof_write(uint8_t *bytes, size_t length_bytes);      // they may be written: any bytes
}

#endif
#endif
