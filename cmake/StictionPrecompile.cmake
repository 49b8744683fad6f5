# stiction_precompile(TARGET header...)
# stiction_precompile_as(OTHER TARGET)     (with the headers of another target, compiled once for both)
# stiction_precompile_program(TARGET)      (with those of all programs)
#
# Lets targets parse large headers once instead of once for each of their files: most of the time of a
# build from nothing is parsing. With ccache it is off, for ccache cannot look through precompiled
# headers; so both ways of building are in use, and files that forget an include are found.
set(precompile ON)
if(STICTION_CCACHE)
  set(precompile OFF)
endif()
option(STICTION_PRECOMPILE "Parse large headers once for many files (default: if there is no ccache)"
  ${precompile})

function(stiction_precompile target)
  if(STICTION_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <Eigen/Geometry> <algorithm> <array> <filesystem> <functional> <memory> <optional> <span>
      <string> <vector> ${ARGN})
  endif()
endfunction()

function(stiction_precompile_as other target)
  if(STICTION_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

# Code for position-independent programs, not for libraries: GCC takes a precompiled header only with
# the flag that it was made with.
function(stiction_for_programs_only target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIE)
endfunction()

function(stiction_precompile_program target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    stiction_for_programs_only(${target})
  endif()
  if(STICTION_PRECOMPILE AND NOT TARGET stiction_program_headers)
    set(source "${PROJECT_BINARY_DIR}/program_headers.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
    add_library(stiction_program_headers STATIC "${source}")
    stiction_for_programs_only(stiction_program_headers)
    target_link_libraries(stiction_program_headers PRIVATE stiction::core)
    stiction_precompile(stiction_program_headers <fmt/format.h>)
  endif()
  stiction_precompile_as(stiction_program_headers ${target})
endfunction()
