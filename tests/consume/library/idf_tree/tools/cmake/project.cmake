# SPDX-License-Identifier: Apache-2.0
# ESP-IDF's build as a component of ours sees it: names and rules of version 5, from no page in particular.
# Requirements of a project's components are read first, in script mode. IDF's own components are one
# library of stand-ins, on the host.
set(idf_own bootloader_support esp_hw_support freertos nvs_flash)

# Sees the requirements as IDF does: the file is run as a script, and stops at the call.
function(idf_requirements name folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -P ${IDF_TREE}/tools/cmake/requirements.cmake
    OUTPUT_VARIABLE said ERROR_VARIABLE error RESULT_VARIABLE result)
  if(result OR NOT said MATCHES "requires:([^\n]*)")
    message(FATAL_ERROR "${folder} does not say what it requires: ${error}")
  endif()
  set(requires_${name} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

# Adds a component behind all that it requires.
function(idf_add name)
  if(TARGET __idf_${name} OR name IN_LIST idf_own)
    return()
  elseif(NOT folder_${name})
    message(FATAL_ERROR "Failed to resolve component '${name}'")
  endif()
  foreach(needed IN LISTS requires_${name})
    idf_add(${needed})
  endforeach()
  set(COMPONENT_NAME ${name})
  add_subdirectory(${folder_${name}} ${CMAKE_BINARY_DIR}/esp-idf/${name})
endfunction()

macro(idf_component_register)
  cmake_parse_arguments(arg "" "" "SRCS;INCLUDE_DIRS;PRIV_INCLUDE_DIRS;REQUIRES;PRIV_REQUIRES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "idf_component_register: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(COMPONENT_LIB __idf_${COMPONENT_NAME})
  add_library(${COMPONENT_LIB} STATIC ${arg_SRCS})
  target_include_directories(${COMPONENT_LIB} PUBLIC ${arg_INCLUDE_DIRS} PRIVATE ${arg_PRIV_INCLUDE_DIRS})
  # IDF's own flags, which come before a component's.
  set_target_properties(${COMPONENT_LIB} PROPERTIES C_STANDARD_REQUIRED OFF)
  target_compile_definitions(${COMPONENT_LIB} PRIVATE ESP_PLATFORM)
  target_compile_options(${COMPONENT_LIB} PRIVATE -ffunction-sections -fdata-sections -Wall -Wextra
    -Werror=all -Wno-unused-parameter -Wno-sign-compare
    $<$<COMPILE_LANGUAGE:C>:-std=gnu17> $<$<COMPILE_LANGUAGE:CXX>:-std=gnu++2b>)
  foreach(needed IN LISTS arg_REQUIRES)
    if(NOT needed IN_LIST idf_own)
      target_link_libraries(${COMPONENT_LIB} PUBLIC __idf_${needed})
    endif()
  endforeach()
  target_link_libraries(${COMPONENT_LIB} PUBLIC idf_own)
endmacro()

macro(project name)
  _project(${name} C CXX)
  set(IDF_TREE $ENV{IDF_PATH})
  include(${SDKCONFIG_CMAKE})
  add_library(idf_own STATIC ${IDF_FAKES}/esp32.c ${IDF_TREE}/main.c)
  target_compile_definitions(idf_own PRIVATE ARDUINO=0)
  target_include_directories(idf_own PUBLIC ${IDF_FAKES} ${IDF_FAKES}/../../../ports/fake
    ${IDF_FAKES}/../../../storage/fake)
  file(GLOB folders ${CMAKE_CURRENT_SOURCE_DIR}/components/* ${CMAKE_CURRENT_SOURCE_DIR}/main)
  foreach(folder IN LISTS folders)
    get_filename_component(component ${folder} NAME)
    set(folder_${component} ${folder})
    idf_requirements(${component} ${folder})
    include(${folder}/project_include.cmake OPTIONAL)
  endforeach()
  idf_add(main)
  add_executable(${name}.elf ${IDF_TREE}/empty.c)
  target_link_libraries(${name}.elf PRIVATE -Wl,--gc-sections idf_own __idf_main)
endmacro()
