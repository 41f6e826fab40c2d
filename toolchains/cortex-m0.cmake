# SPDX-License-Identifier: Apache-2.0
set(sotto_cpu_flags "-mcpu=cortex-m0")
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
