# SPDX-License-Identifier: Apache-2.0
# find_package(sotto): sotto::sdk, sotto::port_NAME and sotto_registry(), as add_subdirectory() has them.
include_guard(GLOBAL)
add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/../../sotto ${CMAKE_BINARY_DIR}/sotto EXCLUDE_FROM_ALL)
