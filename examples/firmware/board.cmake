# SPDX-License-Identifier: Apache-2.0
# board_program(TARGET): start-up code, memory layout and link options of the emulated board that the
# preset names in SOTTO_BOARD.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL riscv32)
  enable_language(ASM)
endif()
function(board_program target)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(board_microbit "0;256K;0x20000000;16K")
  set(board_mps2-an385 "0;4M;0x20000000;4M")
  set(board_mps2-an386 "0;4M;0x20000000;4M")
  set(board_mps2-an505 "0x10000000;4M;0x38000000;4M")
  set(board_riscv32-virt "0x80000000;4M;0x80400000;4M")
  if(NOT DEFINED board_${SOTTO_BOARD})
    message(FATAL_ERROR "SOTTO_BOARD is '${SOTTO_BOARD}'; allowed: microbit, mps2-an385, mps2-an386, "
                        "mps2-an505, riscv32-virt")
  endif()
  set(board ${board_${SOTTO_BOARD}})
  list(GET board 0 flash_origin)
  list(GET board 1 flash_length)
  list(GET board 2 ram_origin)
  list(GET board 3 ram_length)
  target_sources(${target} PRIVATE ${here}/semihosting.c)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL riscv32)
    target_sources(${target} PRIVATE ${here}/start_riscv.S)
  else()
    target_sources(${target} PRIVATE ${here}/start_cortex_m.c)
  endif()
  target_include_directories(${target} PRIVATE ${here})
  set_target_properties(${target} PROPERTIES SUFFIX .elf LINK_DEPENDS ${here}/memory.ld)
  target_link_libraries(${target} PRIVATE sotto_device_flags sotto_warnings)
  # The C library comes last, behind every archive that may want memcpy.
  target_link_options(${target} PRIVATE
    -nostartfiles -nostdlib -T ${here}/memory.ld -Wl,--gc-sections -Wl,--print-memory-usage
    -Wl,--defsym=flash_origin=${flash_origin} -Wl,--defsym=flash_length=${flash_length}
    -Wl,--defsym=ram_origin=${ram_origin} -Wl,--defsym=ram_length=${ram_length})
endfunction()
