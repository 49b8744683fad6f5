include(CMakePackageConfigHelpers)

set(STICTION_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/stiction")

install(EXPORT stictionTargets NAMESPACE stiction:: DESTINATION "${STICTION_CMAKE_DIR}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/stictionConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/stictionConfig.cmake"
  INSTALL_DESTINATION "${STICTION_CMAKE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/stictionConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_SOURCE_DIR}/cmake/Findfclib.cmake"
  "${PROJECT_BINARY_DIR}/stictionConfig.cmake"
  "${PROJECT_BINARY_DIR}/stictionConfigVersion.cmake"
  DESTINATION "${STICTION_CMAKE_DIR}")

if(EXISTS "${PROJECT_SOURCE_DIR}/models")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/models/"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/stiction/models"
    PATTERN "CMakeLists.txt" EXCLUDE)
endif()
