# SPDX-License-Identifier: Apache-2.0
# sotto_registry(TARGET metrics.toml): compiles the registry at build time and adds its tables, its
# header metrics.h and its metrics.json (property SOTTO_METRICS_JSON) to TARGET.
function(sotto_registry target definition)
  get_target_property(has_one ${target} SOTTO_METRICS_JSON)
  if(has_one)
    message(FATAL_ERROR "sotto_registry(${target} ${definition}): ${target} has a registry already; "
      "a program has one, put all of its metrics there")
  endif()
  cmake_path(ABSOLUTE_PATH definition BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
  set(tools ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tools)
  file(GLOB compiler_sources ${tools}/registry/*.py)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}_registry)
  # The public keys that it names, relative to itself.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${definition})
  set(keys)
  file(STRINGS ${definition} lines REGEX "^[ \t]*(file|key)[ \t]*=[ \t]*\".*\"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" key "${line}")
    cmake_path(GET definition PARENT_PATH folder)
    cmake_path(ABSOLUTE_PATH key BASE_DIRECTORY ${folder} NORMALIZE)
    list(APPEND keys ${key})
  endforeach()
  # The stamp is newer than the compiler; a table that is the same stays as old as it is.
  add_custom_command(
    OUTPUT ${out}/stamp
    BYPRODUCTS ${out}/metrics.h ${out}/metrics.c ${out}/metrics.json
    COMMAND ${Python3_EXECUTABLE} ${tools}/sotto-registry compile ${definition} --out ${out}
    COMMAND ${CMAKE_COMMAND} -E touch ${out}/stamp
    DEPENDS ${definition} ${keys} ${tools}/sotto-registry ${compiler_sources}
    COMMENT "Compiling the registry ${definition}"
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/metrics.c ${out}/metrics.h ${out}/stamp)
  target_include_directories(${target} PRIVATE ${out})
  set_target_properties(${target} PROPERTIES SOTTO_METRICS_JSON ${out}/metrics.json)
endfunction()
