# SPDX-License-Identifier: Apache-2.0
# Sources that a device compiles. CMake makes this file: target device_sources.
# Set SOTTO_DIR, MBEDTLS_DIR, NANOPB_DIR and FIAT_DIR before. tests/consume/makefile is an example.

SOTTO_CORE_SOURCES := \
  $(SOTTO_DIR)/sdk/src/random/bernoulli.cpp \
  $(SOTTO_DIR)/sdk/src/random/bernoulli_lanes.cpp \
  $(SOTTO_DIR)/sdk/src/random/fixed_time.cpp \
  $(SOTTO_DIR)/sdk/src/random/geometric.cpp \
  $(SOTTO_DIR)/sdk/src/random/laplace.cpp \
  $(SOTTO_DIR)/sdk/src/random/modular_laplace.cpp \
  $(SOTTO_DIR)/sdk/src/random/uniform.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/bins.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/bits.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/discrete_laplace.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/forward_category.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/ladder.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/mix.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/noised_points.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/noised_sum.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/one_bit_mean.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/rappor.cpp \
  $(SOTTO_DIR)/sdk/src/privacy/ledger.cpp \
  $(SOTTO_DIR)/sdk/src/privacy/shared_noise.cpp

SOTTO_CORE_FLAGS := \
  -ffreestanding \
  -fno-jump-tables

SOTTO_SDK_SOURCES_MBEDTLS := \
  $(SOTTO_DIR)/sdk/src/crypto/aead_mbedtls.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/drbg_mbedtls.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/hash.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/hash_mbedtls.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/hkdf_sha256.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/library_error.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/p256_mbedtls.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/probe_mbedtls.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/stream.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/stream_mbedtls.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/wipe_mbedtls.cpp \
  $(SOTTO_DIR)/sdk/src/entropy/gather.cpp \
  $(SOTTO_DIR)/sdk/src/entropy/health.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/design_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/discrete_laplace_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/every_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/exponential_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/forward_bits_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/hashed_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/inverse_sensitivity_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/k_randomized_response_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/laplace_threshold_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/noised_points_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/noised_sum_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/one_bit_mean_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/randomized_response_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/rappor_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/pad_and_sample_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/sorted_points_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/table_check.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/unary_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/window_mean_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/window_response_code.cpp \
  $(SOTTO_DIR)/sdk/src/report/encode.cpp \
  $(SOTTO_DIR)/sdk/src/report/decode_request.cpp \
  $(SOTTO_DIR)/sdk/src/seal/hpke.cpp \
  $(SOTTO_DIR)/sdk/src/seal/key.cpp \
  $(SOTTO_DIR)/sdk/src/seal/seal.cpp \
  $(SOTTO_DIR)/sdk/src/seal/wipe_stack.cpp \
  $(SOTTO_DIR)/sdk/src/client/account.cpp \
  $(SOTTO_DIR)/sdk/src/client/adopt.cpp \
  $(SOTTO_DIR)/sdk/src/client/batch.cpp \
  $(SOTTO_DIR)/sdk/src/client/client.cpp \
  $(SOTTO_DIR)/sdk/src/client/derive.cpp \
  $(SOTTO_DIR)/sdk/src/client/measure.cpp \
  $(SOTTO_DIR)/sdk/src/client/measurement.cpp \
  $(SOTTO_DIR)/sdk/src/client/noised_sum_rows.cpp \
  $(SOTTO_DIR)/sdk/src/client/permanent_value.cpp \
  $(SOTTO_DIR)/sdk/src/client/policy.cpp \
  $(SOTTO_DIR)/sdk/src/client/port_mac.cpp \
  $(SOTTO_DIR)/sdk/src/client/randomness.cpp \
  $(SOTTO_DIR)/sdk/src/client/registry_check.cpp \
  $(SOTTO_DIR)/sdk/src/client/release.cpp \
  $(SOTTO_DIR)/sdk/src/client/report_points.cpp \
  $(SOTTO_DIR)/sdk/src/client/report_quantile.cpp \
  $(SOTTO_DIR)/sdk/src/client/request.cpp \
  $(SOTTO_DIR)/sdk/src/client/sealing.cpp \
  $(SOTTO_DIR)/sdk/src/client/state.cpp \
  $(SOTTO_DIR)/sdk/src/client/status_text.cpp \
  $(SOTTO_DIR)/sdk/src/client/stored.cpp \
  $(SOTTO_DIR)/sdk/src/client/two_stages.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/x25519_fiat.cpp

SOTTO_SDK_SOURCES_PSA := \
  $(SOTTO_DIR)/sdk/src/crypto/aead_psa.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/drbg_psa.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/hash.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/hash_psa.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/hkdf_sha256.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/library_error.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/p256_psa.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/probe_psa.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/stream.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/stream_psa.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/wipe_psa.cpp \
  $(SOTTO_DIR)/sdk/src/entropy/gather.cpp \
  $(SOTTO_DIR)/sdk/src/entropy/health.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/design_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/discrete_laplace_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/every_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/exponential_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/forward_bits_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/hashed_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/inverse_sensitivity_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/k_randomized_response_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/laplace_threshold_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/noised_points_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/noised_sum_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/one_bit_mean_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/randomized_response_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/rappor_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/pad_and_sample_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/sorted_points_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/table_check.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/unary_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/window_mean_code.cpp \
  $(SOTTO_DIR)/sdk/src/mechanism/window_response_code.cpp \
  $(SOTTO_DIR)/sdk/src/report/encode.cpp \
  $(SOTTO_DIR)/sdk/src/report/decode_request.cpp \
  $(SOTTO_DIR)/sdk/src/seal/hpke.cpp \
  $(SOTTO_DIR)/sdk/src/seal/key.cpp \
  $(SOTTO_DIR)/sdk/src/seal/seal.cpp \
  $(SOTTO_DIR)/sdk/src/seal/wipe_stack.cpp \
  $(SOTTO_DIR)/sdk/src/client/account.cpp \
  $(SOTTO_DIR)/sdk/src/client/adopt.cpp \
  $(SOTTO_DIR)/sdk/src/client/batch.cpp \
  $(SOTTO_DIR)/sdk/src/client/client.cpp \
  $(SOTTO_DIR)/sdk/src/client/derive.cpp \
  $(SOTTO_DIR)/sdk/src/client/measure.cpp \
  $(SOTTO_DIR)/sdk/src/client/measurement.cpp \
  $(SOTTO_DIR)/sdk/src/client/noised_sum_rows.cpp \
  $(SOTTO_DIR)/sdk/src/client/permanent_value.cpp \
  $(SOTTO_DIR)/sdk/src/client/policy.cpp \
  $(SOTTO_DIR)/sdk/src/client/port_mac.cpp \
  $(SOTTO_DIR)/sdk/src/client/randomness.cpp \
  $(SOTTO_DIR)/sdk/src/client/registry_check.cpp \
  $(SOTTO_DIR)/sdk/src/client/release.cpp \
  $(SOTTO_DIR)/sdk/src/client/report_points.cpp \
  $(SOTTO_DIR)/sdk/src/client/report_quantile.cpp \
  $(SOTTO_DIR)/sdk/src/client/request.cpp \
  $(SOTTO_DIR)/sdk/src/client/sealing.cpp \
  $(SOTTO_DIR)/sdk/src/client/state.cpp \
  $(SOTTO_DIR)/sdk/src/client/status_text.cpp \
  $(SOTTO_DIR)/sdk/src/client/stored.cpp \
  $(SOTTO_DIR)/sdk/src/client/two_stages.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/hmac_drbg_sha256.cpp \
  $(SOTTO_DIR)/sdk/src/crypto/x25519_psa.cpp

SOTTO_FLAGS := \
  -ffunction-sections \
  -fdata-sections \
  -fno-unwind-tables \
  -fno-asynchronous-unwind-tables \
  -fno-lto

SOTTO_CXX_FLAGS := \
  -fno-exceptions \
  -fno-rtti \
  -fno-threadsafe-statics

SOTTO_PUBLIC_INCLUDES := \
  $(SOTTO_DIR)/sdk/include

SOTTO_INCLUDES := \
  $(SOTTO_DIR)/sdk/include \
  $(SOTTO_DIR)/sdk/src \
  $(SOTTO_DIR)/sdk/proto

SOTTO_MBEDTLS_SOURCES := \
  $(MBEDTLS_DIR)/library/aes.c \
  $(MBEDTLS_DIR)/library/aesni.c \
  $(MBEDTLS_DIR)/library/chacha20.c \
  $(MBEDTLS_DIR)/library/chachapoly.c \
  $(MBEDTLS_DIR)/library/constant_time.c \
  $(MBEDTLS_DIR)/library/ctr_drbg.c \
  $(MBEDTLS_DIR)/library/platform_util.c \
  $(MBEDTLS_DIR)/library/poly1305.c \
  $(MBEDTLS_DIR)/library/sha256.c \
  $(MBEDTLS_DIR)/3rdparty/p256-m/p256-m/p256-m.c

SOTTO_MBEDTLS_INCLUDES := \
  $(MBEDTLS_DIR)/include \
  $(MBEDTLS_DIR)/library

SOTTO_MBEDTLS_DEFINES := \
  MBEDTLS_CONFIG_FILE=\"$(abspath $(SOTTO_DIR))/sdk/src/crypto/mbedtls_config.h\" \
  MBEDTLS_PSA_P256M_DRIVER_ENABLED \
  psa_generate_random=sotto_p256_no_random

SOTTO_NANOPB_SOURCES := \
  $(NANOPB_DIR)/pb_encode.c \
  $(NANOPB_DIR)/pb_common.c

SOTTO_NANOPB_INCLUDES := \
  $(NANOPB_DIR)

SOTTO_NANOPB_DEFINES := \
  PB_NO_ERRMSG \
  PB_BUFFER_ONLY \
  PB_SYSTEM_HEADER=\"$(abspath $(SOTTO_DIR))/sdk/proto/nanopb_config.h\"

SOTTO_FIAT_INCLUDES := \
  $(FIAT_DIR)
