# SPDX-License-Identifier: Apache-2.0
# The functions of Zephyr's extensions.cmake that Sotto's module calls, with the same meaning.

# Libraries see what is everybody's, and the image takes each of them whole.
macro(zephyr_library_named name)
  set(ZEPHYR_CURRENT_LIBRARY ${name})
  add_library(${name} STATIC "")
  target_link_libraries(${name} PUBLIC zephyr_interface)
  set_property(GLOBAL APPEND PROPERTY ZEPHYR_LIBS ${name})
endmacro()

function(zephyr_include_directories)
  target_include_directories(zephyr_interface INTERFACE ${ARGN})
endfunction()

function(zephyr_library_sources)
  target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()

function(zephyr_library_include_directories)
  target_include_directories(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()

# A name that is no target is -lNAME in the image's link line.
function(zephyr_library_link_libraries)
  target_link_libraries(${ZEPHYR_CURRENT_LIBRARY} PUBLIC ${ARGN})
endfunction()

# Through a library of its own: a target's options would come before those of zephyr_interface.
function(zephyr_library_compile_options option)
  string(MD5 unique ${option})
  if(NOT TARGET options_${unique})
    add_library(options_${unique} INTERFACE)
    target_compile_options(options_${unique} INTERFACE ${option} ${ARGN})
  endif()
  zephyr_library_link_libraries(options_${unique})
endfunction()

foreach(name library_sources library_link_libraries)
  cmake_language(EVAL CODE "
    function(zephyr_${name}_ifdef feature)
      if(\${\${feature}})
        zephyr_${name}(\${ARGN})
      endif()
    endfunction()")
endforeach()
