# stiction_precompile(TARGET header...)
#
# Lets a target parse large headers once instead of once for each of its files: most of the time of a
# build from nothing is parsing. With ccache it is off, for ccache cannot look through precompiled
# headers; so both ways of building are in use, and files that forget an include are found.
set(precompile ON)
if(STICTION_CCACHE)
  set(precompile OFF)
endif()
option(STICTION_PRECOMPILE "Parse large headers once a target (default: if there is no ccache)"
  ${precompile})

function(stiction_precompile target)
  if(STICTION_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <Eigen/Geometry> <algorithm> <array> <filesystem> <functional> <memory> <optional> <span>
      <string> <vector> ${ARGN})
  endif()
endfunction()
