# SPDX-License-Identifier: Apache-2.0
# sotto_registry(TARGET metrics.toml): compiles the registry at build time and adds its tables, its
# header metrics.h and its metrics.json (property SOTTO_METRICS_JSON) to TARGET.
set(SOTTO_REGISTRY_COMPILER "${CMAKE_CURRENT_LIST_DIR}/../tools/sotto-registry")
file(GLOB SOTTO_REGISTRY_COMPILER_SOURCES "${CMAKE_CURRENT_LIST_DIR}/../tools/registry/*.py")

function(sotto_registry target definition)
  find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}_registry)
  add_custom_command(
    OUTPUT ${out}/metrics.h ${out}/metrics.c ${out}/metrics.json
    COMMAND ${Python3_EXECUTABLE} ${SOTTO_REGISTRY_COMPILER} compile ${definition} --out ${out}
    DEPENDS ${definition} ${SOTTO_REGISTRY_COMPILER} ${SOTTO_REGISTRY_COMPILER_SOURCES}
    COMMENT "Compiling the registry ${definition}"
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/metrics.c ${out}/metrics.h)
  target_include_directories(${target} PRIVATE ${out})
  set_target_properties(${target} PROPERTIES SOTTO_METRICS_JSON ${out}/metrics.json)
endfunction()
