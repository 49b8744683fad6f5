# The packages that the library itself stands on. Keep in step with cmake/stictionConfig.cmake.in
# and scripts/dependencies.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(pugixml REQUIRED)
find_package(urdfdom REQUIRED)
find_package(assimp REQUIRED)
find_package(Qhull REQUIRED)
find_package(fclib REQUIRED MODULE)
find_package(PNG REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)

# xsimd is used as headers only: the target in its package wants xtl, which nothing here needs.
find_path(STICTION_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp REQUIRED)
mark_as_advanced(STICTION_XSIMD_INCLUDE_DIR)

# cairo has no package file for CMake.
find_path(STICTION_CAIRO_INCLUDE_DIR cairo.h PATH_SUFFIXES cairo REQUIRED)
find_library(STICTION_CAIRO_LIBRARY cairo REQUIRED)
mark_as_advanced(STICTION_CAIRO_INCLUDE_DIR STICTION_CAIRO_LIBRARY)
add_library(stiction_cairo INTERFACE)
add_library(stiction::cairo ALIAS stiction_cairo)
target_include_directories(stiction_cairo SYSTEM INTERFACE "${STICTION_CAIRO_INCLUDE_DIR}")
target_link_libraries(stiction_cairo INTERFACE "${STICTION_CAIRO_LIBRARY}")

# Boost.Beast and Boost.Asio are used as headers only, by the program alone.
find_path(STICTION_BOOST_INCLUDE_DIR boost/beast/websocket.hpp REQUIRED)
mark_as_advanced(STICTION_BOOST_INCLUDE_DIR)
add_library(stiction_beast INTERFACE)
add_library(stiction::beast ALIAS stiction_beast)
target_include_directories(stiction_beast SYSTEM INTERFACE "${STICTION_BOOST_INCLUDE_DIR}")

# Partners to compare with in tests and benchmarks; nothing needs them to use the library.
find_path(STICTION_MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(STICTION_MUJOCO_LIBRARY mujoco)
mark_as_advanced(STICTION_MUJOCO_INCLUDE_DIR STICTION_MUJOCO_LIBRARY)
set(STICTION_HAVE_MUJOCO OFF)
if(STICTION_MUJOCO_INCLUDE_DIR AND STICTION_MUJOCO_LIBRARY)
  set(STICTION_HAVE_MUJOCO ON)
endif()

set(STICTION_HAVE_DART OFF)
if(STICTION_BUILD_TESTS OR STICTION_BUILD_BENCH)
  # DART's own package file moves some policies; the block keeps that from us.
  block(SCOPE_FOR POLICIES)
    find_package(DART 6.12 QUIET COMPONENTS utils-urdf CONFIG)
  endblock()
  if(DART_FOUND)
    set(STICTION_HAVE_DART ON)
  endif()
endif()

# Siconos' own package file wants its whole program, too.
find_path(STICTION_SICONOS_INCLUDE_DIR SiconosNumerics.h PATH_SUFFIXES siconos/numerics siconos)
find_library(STICTION_SICONOS_LIBRARY siconos_numerics)
mark_as_advanced(STICTION_SICONOS_INCLUDE_DIR STICTION_SICONOS_LIBRARY)
set(STICTION_HAVE_SICONOS OFF)
if(STICTION_SICONOS_INCLUDE_DIR AND STICTION_SICONOS_LIBRARY)
  set(STICTION_HAVE_SICONOS ON)
endif()

# The float64 libraries share their symbols with the others: never both in one program.
find_path(STICTION_BULLET_INCLUDE_DIR btBulletDynamicsCommon.h PATH_SUFFIXES bullet)
set(STICTION_HAVE_BULLET OFF)
set(bullet_libraries "")
foreach(name IN ITEMS BulletDynamics BulletCollision LinearMath)
  find_library(STICTION_${name}_LIBRARY ${name}-float64)
  mark_as_advanced(STICTION_${name}_LIBRARY)
  list(APPEND bullet_libraries "${STICTION_${name}_LIBRARY}")
endforeach()
mark_as_advanced(STICTION_BULLET_INCLUDE_DIR)
if(STICTION_BULLET_INCLUDE_DIR AND NOT "${bullet_libraries}" MATCHES "NOTFOUND")
  set(STICTION_HAVE_BULLET ON)
endif()

find_path(STICTION_ODE_INCLUDE_DIR ode/ode.h)
find_library(STICTION_ODE_LIBRARY ode)
mark_as_advanced(STICTION_ODE_INCLUDE_DIR STICTION_ODE_LIBRARY)
set(STICTION_HAVE_ODE OFF)
if(STICTION_ODE_INCLUDE_DIR AND STICTION_ODE_LIBRARY)
  set(STICTION_HAVE_ODE ON)
endif()

# FCL's own package file makes a target `fcl`, as DART's search for it does: both do not go together.
find_path(STICTION_FCL_INCLUDE_DIR fcl/fcl.h)
find_library(STICTION_FCL_LIBRARY fcl)
find_library(STICTION_CCD_LIBRARY ccd)
mark_as_advanced(STICTION_FCL_INCLUDE_DIR STICTION_FCL_LIBRARY STICTION_CCD_LIBRARY)
set(STICTION_HAVE_FCL OFF)
if(STICTION_FCL_INCLUDE_DIR AND STICTION_FCL_LIBRARY AND STICTION_CCD_LIBRARY)
  set(STICTION_HAVE_FCL ON)
endif()

# Targets for tests and benchmarks: `stiction::mujoco`, `stiction::dart`, `stiction::siconos`,
# `stiction::bullet`, `stiction::ode` and `stiction::fcl` exist always; with the partner they link it and define
# STICTION_HAVE_MUJOCO, STICTION_HAVE_DART and so on, without it they are empty.
add_library(stiction_mujoco INTERFACE)
add_library(stiction::mujoco ALIAS stiction_mujoco)
if(STICTION_HAVE_MUJOCO)
  target_compile_definitions(stiction_mujoco INTERFACE STICTION_HAVE_MUJOCO=1)
  target_include_directories(stiction_mujoco SYSTEM INTERFACE "${STICTION_MUJOCO_INCLUDE_DIR}")
  target_link_libraries(stiction_mujoco INTERFACE "${STICTION_MUJOCO_LIBRARY}")
endif()

add_library(stiction_dart INTERFACE)
add_library(stiction::dart ALIAS stiction_dart)
if(STICTION_HAVE_DART)
  target_compile_definitions(stiction_dart INTERFACE STICTION_HAVE_DART=1)
  target_link_libraries(stiction_dart INTERFACE dart dart-utils-urdf)
  # What our side instantiates of DART's templates must not replace what is in its library: both
  # allocate in different ways (docs/decisions/0007).
  target_compile_options(stiction_dart INTERFACE
    -fvisibility=hidden -fvisibility-inlines-hidden)
endif()

add_library(stiction_siconos INTERFACE)
add_library(stiction::siconos ALIAS stiction_siconos)
if(STICTION_HAVE_SICONOS)
  target_compile_definitions(stiction_siconos INTERFACE STICTION_HAVE_SICONOS=1)
  target_include_directories(stiction_siconos SYSTEM INTERFACE
    "${STICTION_SICONOS_INCLUDE_DIR}" "${STICTION_SICONOS_INCLUDE_DIR}/..")
  target_link_libraries(stiction_siconos INTERFACE "${STICTION_SICONOS_LIBRARY}")
endif()

add_library(stiction_fcl INTERFACE)
add_library(stiction::fcl ALIAS stiction_fcl)
if(STICTION_HAVE_FCL)
  target_compile_definitions(stiction_fcl INTERFACE STICTION_HAVE_FCL=1)
  target_include_directories(stiction_fcl SYSTEM INTERFACE "${STICTION_FCL_INCLUDE_DIR}")
  target_link_libraries(stiction_fcl INTERFACE "${STICTION_FCL_LIBRARY}" "${STICTION_CCD_LIBRARY}")
endif()

add_library(stiction_bullet INTERFACE)
add_library(stiction::bullet ALIAS stiction_bullet)
if(STICTION_HAVE_BULLET)
  target_compile_definitions(stiction_bullet INTERFACE
    STICTION_HAVE_BULLET=1 BT_USE_DOUBLE_PRECISION)
  target_include_directories(stiction_bullet SYSTEM INTERFACE "${STICTION_BULLET_INCLUDE_DIR}")
  target_link_libraries(stiction_bullet INTERFACE ${bullet_libraries})
endif()

add_library(stiction_ode INTERFACE)
add_library(stiction::ode ALIAS stiction_ode)
if(STICTION_HAVE_ODE)
  target_compile_definitions(stiction_ode INTERFACE STICTION_HAVE_ODE=1 dIDEDOUBLE)
  target_include_directories(stiction_ode SYSTEM INTERFACE "${STICTION_ODE_INCLUDE_DIR}")
  target_link_libraries(stiction_ode INTERFACE "${STICTION_ODE_LIBRARY}")
endif()

message(STATUS "Partners: MuJoCo ${STICTION_HAVE_MUJOCO}, DART ${STICTION_HAVE_DART}, "
  "Siconos ${STICTION_HAVE_SICONOS}, Bullet ${STICTION_HAVE_BULLET}, ODE ${STICTION_HAVE_ODE}, "
  "FCL ${STICTION_HAVE_FCL}")
