# `stiction_viewer` holds the page of viewer/ as text: viewer_page() of viewer/viewer_page.hpp. All
# that npm brings and esbuild makes goes to the build folder. Without node and npm the page is empty.
option(STICTION_VIEWER "Build the page for replays and the live view (needs node and npm)" ON)

find_program(STICTION_NODE NAMES node nodejs)
find_program(STICTION_NPM npm)
mark_as_advanced(STICTION_NODE STICTION_NPM)

set(STICTION_HAVE_VIEWER OFF)
if(STICTION_VIEWER AND STICTION_NODE AND STICTION_NPM)
  set(STICTION_HAVE_VIEWER ON)
elseif(STICTION_VIEWER)
  message(WARNING "The program is built without its viewer page, for node or npm was not found. "
    "Remedy: install both (Debian: nodejs npm) and configure again; or configure with "
    "-DSTICTION_VIEWER=OFF if that is wanted")
endif()

set(STICTION_VIEWER_DIR "${PROJECT_BINARY_DIR}/viewer")
set(STICTION_VIEWER_PAGE "${STICTION_VIEWER_DIR}/viewer_page.html")

if(STICTION_HAVE_VIEWER)
  set(viewer_source "${PROJECT_SOURCE_DIR}/viewer")
  set(viewer_packages "${STICTION_VIEWER_DIR}/packages.stamp")
  set(viewer_flags "")
  if(STICTION_BUILD_TESTS)
    set(viewer_flags --tests)
  endif()
  add_custom_command(
    OUTPUT "${viewer_packages}"
    COMMAND "${STICTION_NODE}" "${viewer_source}/tools/install.mjs"
      "${viewer_source}" "${STICTION_VIEWER_DIR}" "${viewer_packages}" ${viewer_flags}
    DEPENDS "${viewer_source}/tools/install.mjs" "${viewer_source}/package.json"
      "${viewer_source}/package-lock.json" "${viewer_source}/.npmrc"
    COMMENT "Installing the packages of the viewer page"
    VERBATIM)

  file(GLOB viewer_files CONFIGURE_DEPENDS "${viewer_source}/src/*.js")
  add_custom_command(
    OUTPUT "${STICTION_VIEWER_DIR}/viewer_page.cpp" "${STICTION_VIEWER_PAGE}"
    COMMAND "${STICTION_NODE}" "${viewer_source}/tools/bundle.mjs"
      "${viewer_source}" "${STICTION_VIEWER_DIR}"
    DEPENDS "${viewer_packages}" "${viewer_source}/tools/bundle.mjs" "${viewer_source}/page.html"
      "${viewer_source}/page.css" ${viewer_files}
    COMMENT "Bundling the viewer page"
    VERBATIM)
  add_library(stiction_viewer STATIC "${STICTION_VIEWER_DIR}/viewer_page.cpp")
else()
  add_library(stiction_viewer STATIC "${PROJECT_SOURCE_DIR}/viewer/no_page.cpp")
endif()
target_include_directories(stiction_viewer PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(stiction_viewer PUBLIC stiction::flags)
