/* SPDX-License-Identifier: Apache-2.0 */
/* Mbed TLS 3.6 with what Sotto uses and nothing else: no heap, no files, no clock. */
#ifndef SOTTO_MBEDTLS_CONFIG_H
#define SOTTO_MBEDTLS_CONFIG_H

#include "mbedtls_names.h"

#define MBEDTLS_AES_C
#define MBEDTLS_AES_ONLY_128_BIT_KEY_LENGTH
#define MBEDTLS_BLOCK_CIPHER_NO_DECRYPT
#define MBEDTLS_AES_ROM_TABLES

/* With a data cache, tables would be looked up in times that depend on the generator's key. */
#if defined(__x86_64__)
#define MBEDTLS_HAVE_ASM
#define MBEDTLS_AESNI_C
#endif

#define MBEDTLS_CTR_DRBG_C
#define MBEDTLS_CTR_DRBG_USE_128_BIT_KEY
/* Twice what AES-128 needs: a raw source is seldom at eight bits a byte. */
#define MBEDTLS_CTR_DRBG_ENTROPY_LEN 64
/* Requests, of at most 1,024 bytes each. */
#define MBEDTLS_CTR_DRBG_RESEED_INTERVAL 1000
#define MBEDTLS_NO_PLATFORM_ENTROPY

/* The release streams and the PRF. */
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_SHA256_C

/* On a microcontroller flash is dearer than a few instructions: 3 kB and 2 kB less on Cortex-M0. */
#if !defined(__SIZEOF_POINTER__) || __SIZEOF_POINTER__ <= 4
#define MBEDTLS_AES_FEWER_TABLES
#define MBEDTLS_SHA256_SMALLER
#endif

/* p256-m does not multiply 32 bits into 64 by one instruction where that may take a time that tells
 * the operands: Cortex-M3. A verification has no secret. p256-m's assembler goes by the profile. */
#if defined(__riscv_mul)
#define MUL64_IS_CONSTANT_TIME
#elif defined(__thumb2__) && __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FEATURE_DSP)
#define MUL64_IS_CONSTANT_TIME
#undef __ARM_ARCH_PROFILE
#endif

/* Sealing. */
#define MBEDTLS_CHACHAPOLY_C
#define MBEDTLS_POLY1305_C

#endif
