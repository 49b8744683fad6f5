# `stiction::flags` carries the flags that decide which bits come out, to every folder and, through
# the export, to whoever uses the installed library: Eigen's alignment depends on the instruction
# set, and the inlined kernels must round in the user's program as they do in ours.
add_library(stiction_flags INTERFACE)
add_library(stiction::flags ALIAS stiction_flags)
set_target_properties(stiction_flags PROPERTIES EXPORT_NAME flags)

target_compile_features(stiction_flags INTERFACE cxx_std_20)
# Contraction off: a SIMD lane and a lone robot compute the same bits; FMA stands where it is written.
target_compile_options(stiction_flags INTERFACE -march=${STICTION_ARCH} -ffp-contract=off)

# Debian compiles libraries that have Eigen types in their interface (DART, FCL) for the baseline
# instruction set, where Eigen aligns to 16 bytes. With AVX it would align its fixed-size types to 32,
# and both sides would disagree on their layout. Eigen's allocator stays as it is: its blocked
# products need memory aligned to 32 with AVX (docs/decisions/0007).
target_compile_definitions(stiction_flags INTERFACE EIGEN_MAX_ALIGN_BYTES=16)

if(STICTION_DEVELOPER)
  # Warnings are errors with the compiler that the project is developed with; another one may know
  # new warnings, and should not be kept from building for that.
  set(errors "")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    set(errors -Werror)
  endif()
  # Two warnings of -Wall -Wextra say nothing here: a designated initialiser leaves out fields on
  # purpose, and GCC 12 sees array bounds broken in branches of Eigen that are never taken (the
  # preset asan finds those that are).
  foreach(flag IN ITEMS -Wall -Wextra -Wconversion -Wno-missing-field-initializers -Wno-array-bounds
      ${errors})
    target_compile_options(stiction_flags INTERFACE $<BUILD_INTERFACE:${flag}>)
  endforeach()
endif()

if(STICTION_SANITIZE)
  target_compile_options(stiction_flags INTERFACE
    $<BUILD_INTERFACE:-fsanitize=${STICTION_SANITIZE}> $<BUILD_INTERFACE:-fno-sanitize-recover=all>
    $<BUILD_INTERFACE:-Wno-maybe-uninitialized>  # false alarms in std::regex
    $<BUILD_INTERFACE:-fno-omit-frame-pointer>)
  target_link_options(stiction_flags INTERFACE $<BUILD_INTERFACE:-fsanitize=${STICTION_SANITIZE}>)
endif()

install(TARGETS stiction_flags EXPORT stictionTargets)
