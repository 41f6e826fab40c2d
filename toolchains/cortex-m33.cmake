# SPDX-License-Identifier: Apache-2.0
set(sotto_cpu_flags "-mcpu=cortex-m33+nodsp+nofp")
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
