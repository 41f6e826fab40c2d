# SPDX-License-Identifier: Apache-2.0
# As much of pico-sdk 2 as a program with Sotto uses, on the host. Its libraries are interfaces whose
# sources the program compiles, as there.
set(PICO_SDK_STAND_IN ${CMAKE_CURRENT_LIST_DIR})

function(pico_sdk_init)
  string(TOUPPER ${PICO_PLATFORM} platform)
  add_compile_definitions(PICO_${platform}=1 SOTTO_SIMULATED_REGISTERS)
  add_library(pico_stdlib INTERFACE)
  target_sources(pico_stdlib INTERFACE ${PICO_SDK_STAND_IN}/chip.c)
  foreach(name pico_stdlib hardware_flash pico_flash hardware_resets)
    if(NOT TARGET ${name})
      add_library(${name} INTERFACE)
    endif()
    target_include_directories(${name} INTERFACE ${PICO_SDK_STAND_IN}/include)
  endforeach()
endfunction()

function(pico_add_extra_outputs target)
endfunction()
