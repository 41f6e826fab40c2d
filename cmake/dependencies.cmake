# SPDX-License-Identifier: Apache-2.0
# Mbed TLS, nanopb and fiat-crypto, from the first of these that there is. A target that you made; a
# source tree that you name; the tree that tools/setup.sh unpacked. When you opt in, a download at
# the pinned hash.
#
# Our copies have names of their own (tools/private_names.py), so yours may stand beside them.
# fiat-crypto is a header, curve25519_32.h: it defines no global name.
#
# Your own targets are sotto_user_mbedtls, sotto_user_nanopb and sotto_user_fiat (interface libraries
# will do). Sotto needs all that sdk/src/crypto/mbedtls_config.h switches on in your Mbed TLS and,
# for requests, 3rdparty/p256-m.

include(FetchContent)

set(SOTTO_CACHE "" CACHE PATH "Where tools/setup.sh unpacked the pinned sources (default: as it does)")
option(SOTTO_FETCH "Download Mbed TLS, nanopb and fiat-crypto at their pinned hashes" OFF)

function(sotto_find_source name marker)
  string(TOUPPER "${name}" upper)
  set(variable "SOTTO_${upper}_DIR")
  if(DEFINED ${variable})
    if(NOT EXISTS "${${variable}}/${marker}")
      message(FATAL_ERROR "${variable} is ${${variable}}, but there is no ${marker} in it")
    endif()
    set(sotto_${name}_source "${${variable}}" PARENT_SCOPE)
    return()
  endif()

  file(STRINGS "${PROJECT_SOURCE_DIR}/tools/sources.txt" line REGEX "^${name} ")
  string(REPLACE " " ";" fields "${line}")
  list(POP_FRONT fields ignored version hash archive url folder)

  set(cache "${SOTTO_CACHE}")
  if(NOT cache AND NOT "$ENV{SOTTO_CACHE}" STREQUAL "")
    set(cache "$ENV{SOTTO_CACHE}")
  elseif(NOT cache AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(cache "$ENV{XDG_CACHE_HOME}/sotto")
  elseif(NOT cache)
    set(cache "$ENV{HOME}/.cache/sotto")
  endif()
  string(SUBSTRING "${hash}" 0 12 short_hash)
  set(unpacked "${cache}/${name}-${version}-${short_hash}")
  if(EXISTS "${unpacked}/${marker}")
    set(sotto_${name}_source "${unpacked}" PARENT_SCOPE)
  elseif(SOTTO_FETCH)
    FetchContent_Declare(sotto_${name} URL "${url}" URL_HASH "SHA256=${hash}" SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(sotto_${name})
    cmake_path(APPEND sotto_${name}_SOURCE_DIR ${folder} OUTPUT_VARIABLE used)
    set(sotto_${name}_source "${used}" PARENT_SCOPE)
  else()
    message(FATAL_ERROR
      "Sotto needs ${name} ${version}. One of:\n"
      "  tools/setup.sh                              (Debian; obtains the pinned archive)\n"
      "  cmake -D${variable}=/path/to/${name}        (a source tree you have)\n"
      "  cmake -DSOTTO_FETCH=ON                      (downloads it at the pinned hash)\n"
      "  add_library(sotto_user_${name} INTERFACE)   (your own target, before Sotto is added)")
  endif()
endfunction()

# The backend of sdk/src/crypto: Mbed TLS 3.6's own functions, without heap, or PSA Crypto, where a
# platform has that already. PSA is always your target: sotto_user_psa.
set(SOTTO_CRYPTO mbedtls CACHE STRING "Crypto of the SDK: mbedtls or psa")
set_property(CACHE SOTTO_CRYPTO PROPERTY STRINGS mbedtls psa)
if(SOTTO_CRYPTO STREQUAL psa)
  if(NOT TARGET sotto_user_psa)
    message(FATAL_ERROR "SOTTO_CRYPTO=psa needs a target sotto_user_psa, made before Sotto is added, "
      "that gives psa/crypto.h and what implements it")
  endif()
  add_library(sotto_crypto ALIAS sotto_user_psa)
elseif(NOT SOTTO_CRYPTO STREQUAL mbedtls)
  message(FATAL_ERROR "SOTTO_CRYPTO is '${SOTTO_CRYPTO}'; allowed: mbedtls, psa")
endif()

if(SOTTO_CRYPTO STREQUAL psa)
  # nothing of Mbed TLS's own
elseif(TARGET sotto_user_mbedtls)
  add_library(sotto_mbedtls ALIAS sotto_user_mbedtls)
  add_library(sotto_crypto ALIAS sotto_user_mbedtls)
else()
  sotto_find_source(mbedtls library/ctr_drbg.c)
  add_library(sotto_mbedtls STATIC
    ${sotto_mbedtls_source}/library/aes.c
    ${sotto_mbedtls_source}/library/aesni.c
    ${sotto_mbedtls_source}/library/chacha20.c
    ${sotto_mbedtls_source}/library/chachapoly.c
    ${sotto_mbedtls_source}/library/constant_time.c
    ${sotto_mbedtls_source}/library/ctr_drbg.c
    ${sotto_mbedtls_source}/library/platform_util.c
    ${sotto_mbedtls_source}/library/poly1305.c
    ${sotto_mbedtls_source}/library/sha256.c
    ${sotto_mbedtls_source}/3rdparty/p256-m/p256-m/p256-m.c)
  target_include_directories(sotto_mbedtls SYSTEM
    PUBLIC ${sotto_mbedtls_source}/include
    PRIVATE ${sotto_mbedtls_source}/library)
  target_compile_definitions(sotto_mbedtls PUBLIC
    MBEDTLS_CONFIG_FILE="${PROJECT_SOURCE_DIR}/sdk/src/crypto/mbedtls_config.h")
  # Only the verification of p256-m is called; the rest of that file would want PSA's generator.
  target_compile_definitions(sotto_mbedtls PRIVATE
    MBEDTLS_PSA_P256M_DRIVER_ENABLED psa_generate_random=sotto_p256_no_random)
  target_link_libraries(sotto_mbedtls PRIVATE sotto_device_flags)
  add_library(sotto_crypto ALIAS sotto_mbedtls)
endif()

if(SOTTO_CRYPTO STREQUAL psa)
  # X25519 is the platform's
elseif(TARGET sotto_user_fiat)
  add_library(sotto_fiat ALIAS sotto_user_fiat)
else()
  sotto_find_source(fiat curve25519_32.h)
  add_library(sotto_fiat INTERFACE)
  target_include_directories(sotto_fiat SYSTEM INTERFACE ${sotto_fiat_source})
endif()

if(TARGET sotto_user_nanopb)
  add_library(sotto_nanopb ALIAS sotto_user_nanopb)
else()
  sotto_find_source(nanopb pb_encode.c)
  add_library(sotto_nanopb STATIC
    ${sotto_nanopb_source}/pb_encode.c
    ${sotto_nanopb_source}/pb_common.c)
  target_include_directories(sotto_nanopb SYSTEM PUBLIC ${sotto_nanopb_source})
  target_compile_definitions(sotto_nanopb PUBLIC PB_NO_ERRMSG PB_BUFFER_ONLY
    PB_SYSTEM_HEADER="${PROJECT_SOURCE_DIR}/sdk/proto/nanopb_config.h")
  target_link_libraries(sotto_nanopb PRIVATE sotto_device_flags)
endif()
