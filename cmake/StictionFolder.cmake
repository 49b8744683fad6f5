# stiction_folder(NAME name [DEPENDS folder...] [LINK target...] [PRIVATE_LINK target...]
#                 [INCLUDE folder...] [OWN_FLAGS])
#
# One CMake target per folder of stiction/: `stiction_<name>`, alias `stiction::<name>`, from all
# *.cpp of the current folder (header-only if there is none). DEPENDS names other folders of
# stiction/, LINK other public targets, PRIVATE_LINK those that no public header shows, INCLUDE
# public include folders of header-only packages without a usable target. OWN_FLAGS: the folder adds
# flags for the compiler, so that it cannot have the precompiled header of the others.
function(stiction_folder)
  cmake_parse_arguments(PARSE_ARGV 0 arg "OWN_FLAGS" "NAME" "DEPENDS;LINK;PRIVATE_LINK;INCLUDE")
  if(NOT arg_NAME OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "stiction_folder: wrong arguments: ${ARGV}")
  endif()

  set(target "stiction_${arg_NAME}")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(stiction::${arg_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME})

  list(TRANSFORM arg_DEPENDS PREPEND "stiction::")
  target_link_libraries(${target} ${scope} stiction::flags ${arg_DEPENDS} ${arg_LINK})
  if(sources)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_LINK})
  endif()
  if(arg_NAME STREQUAL "core" OR arg_OWN_FLAGS)
    stiction_precompile(${target})
  elseif(sources)
    stiction_precompile_as(stiction_core ${target})
  endif()
  target_include_directories(${target} ${scope}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  if(arg_INCLUDE)
    # Installed users find these folders again by stictionConfig.cmake.
    target_include_directories(${target} SYSTEM ${scope} "$<BUILD_INTERFACE:${arg_INCLUDE}>")
  endif()

  install(TARGETS ${target} EXPORT stictionTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/stiction/${arg_NAME}"
    FILES_MATCHING PATTERN "*.hpp")
endfunction()

# stiction_copies_whole_lanes(TARGET): for a folder with OWN_FLAGS whose kernels run over SIMD lanes.
#
# GCC copies structures by 16 bytes, and reading a lane of 32 that was written in two halves stalls.
function(stiction_copies_whole_lanes target)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag("-mmove-max=256 -mstore-max=256" STICTION_COMPILER_HAS_MOVE_MAX)
  if(STICTION_COMPILER_HAS_MOVE_MAX)
    target_compile_options(${target} PRIVATE -mmove-max=256 -mstore-max=256)
  endif()
  # GCC leaves large structures of lanes (an articulated inertia has 672 bytes) in memory unless it
  # may take apart structures of that size; with this it does so, and saves one instruction in twenty.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE
      "SHELL:--param sra-max-scalarization-size-Ospeed=4096")
  endif()
endfunction()
