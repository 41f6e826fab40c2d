/* SPDX-License-Identifier: Apache-2.0 */
/* A firmware's own: AES-256 in its generator, and none of Sotto's choices. */
#define MBEDTLS_AES_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_CHACHAPOLY_C
#define MBEDTLS_CTR_DRBG_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_SHA256_C
#define MBEDTLS_NO_PLATFORM_ENTROPY
