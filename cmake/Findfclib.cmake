# Finds fclib (Debian: libfclib-dev) and the serial HDF5 that it is made with, as `FCLIB::fclib`.
# fclib's own package file wants a project with the language C, and sets variables of its caller.
# Also installed, for those who use the installed library.
find_path(STICTION_FCLIB_INCLUDE_DIR fclib.h)
find_library(STICTION_FCLIB_LIBRARY fclib)
find_path(STICTION_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(STICTION_HDF5_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(STICTION_FCLIB_INCLUDE_DIR STICTION_FCLIB_LIBRARY
  STICTION_HDF5_INCLUDE_DIR STICTION_HDF5_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(fclib
  REQUIRED_VARS STICTION_FCLIB_LIBRARY STICTION_FCLIB_INCLUDE_DIR
    STICTION_HDF5_LIBRARY STICTION_HDF5_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian: libfclib-dev libhdf5-dev")

if(fclib_FOUND AND NOT TARGET FCLIB::fclib)
  add_library(FCLIB::fclib UNKNOWN IMPORTED)
  set_target_properties(FCLIB::fclib PROPERTIES
    IMPORTED_LOCATION "${STICTION_FCLIB_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${STICTION_FCLIB_INCLUDE_DIR};${STICTION_HDF5_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${STICTION_HDF5_LIBRARY}")
endif()
