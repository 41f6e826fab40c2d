# SPDX-License-Identifier: Apache-2.0
# A component's CMakeLists.txt in script mode, without a configuration: what it requires.
macro(idf_component_register)
  cmake_parse_arguments(arg "" "" "SRCS;INCLUDE_DIRS;PRIV_INCLUDE_DIRS;REQUIRES;PRIV_REQUIRES" ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "requires:${arg_REQUIRES};${arg_PRIV_REQUIRES}")
  return()
endmacro()
include(${FOLDER}/CMakeLists.txt)
