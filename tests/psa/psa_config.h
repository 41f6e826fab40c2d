/* SPDX-License-Identifier: Apache-2.0 */
/* Mbed TLS 3.6 as an implementation of PSA Crypto, with what Sotto's PSA backend calls: for tests.
 */
#ifndef SOTTO_PSA_CONFIG_H
#define SOTTO_PSA_CONFIG_H

#define MBEDTLS_PLATFORM_C
#define MBEDTLS_PSA_CRYPTO_C
#define MBEDTLS_PSA_CRYPTO_EXTERNAL_RNG
/* Persistent keys, in trusted_storage.c in place of files. */
#define MBEDTLS_PSA_CRYPTO_STORAGE_C
#define MBEDTLS_PSA_ITS_FILE_C
#define MBEDTLS_FS_IO
#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_CHACHAPOLY_C
#define MBEDTLS_CIPHER_C
#define MBEDTLS_ECDH_C
#define MBEDTLS_ECDSA_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECP_DP_CURVE25519_ENABLED
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_MD_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_SHA256_C

#endif
