# SPDX-License-Identifier: Apache-2.0
# A stand-in for find_package(Zephyr): configuration, the target app, then the tree and the modules.
project(Zephyr-Kernel LANGUAGES C CXX)
set(ZEPHYR_BASE ${CMAKE_CURRENT_LIST_DIR}/../../..)
set(generated ${CMAKE_BINARY_DIR}/zephyr)

# zephyr_module_value(FOLDER KEY OUT): a path that a module's module.yml names.
function(zephyr_module_value folder key out)
  file(STRINGS ${folder}/zephyr/module.yml line REGEX "^  ${key}: ")
  string(REGEX REPLACE "^  ${key}: " "${folder}/" path "${line}")
  set(${out} ${path} PARENT_SCOPE)
endfunction()

zephyr_module_value(${ZEPHYR_EXTRA_MODULES} kconfig module_kconfig)
execute_process(
  COMMAND ${ZEPHYR_KCONFIG_PYTHON} ${ZEPHYR_BASE}/kconfig.py ${ZEPHYR_BASE}/Kconfig ${module_kconfig}
          ${generated} ${CMAKE_SOURCE_DIR}/prj.conf ${EXTRA_CONF_FILE}
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "Kconfig failed")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${module_kconfig})
file(STRINGS ${generated}/.config lines REGEX "^CONFIG_")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([^=]*)=\"?([^\"]*)" matched "${line}")
  set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()

include(${ZEPHYR_BASE}/extensions.cmake)
# Zephyr's own choice of a standard for C++ is 11.
add_library(zephyr_interface INTERFACE)
zephyr_include_directories(${ZEPHYR_BASE}/include ${ZEPHYR_FAKES})
target_compile_options(zephyr_interface INTERFACE "SHELL:-imacros ${generated}/autoconf.h"
  -ffunction-sections -fdata-sections -fno-pie
  $<$<COMPILE_LANGUAGE:C>:-std=c11> $<$<COMPILE_LANGUAGE:CXX>:-std=c++11>)
zephyr_library_named(app)
add_subdirectory(${ZEPHYR_BASE} ${generated}/tree)
