# What a motion says to wrong arguments, and that its recording with `--springs` has anchors:
#   cmake -DPROGRAM=... -DNAME=... -DRECORDING=... -P check_arguments.cmake

# Runs the program, and fails unless it ends with `code` and says `pattern`.
function(expect code pattern)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT result EQUAL code OR NOT said MATCHES "${pattern}")
    message(SEND_ERROR "${ARGN}\nended with ${result}, wanted ${code}; wanted '${pattern}', but it said:\n${said}")
  endif()
endfunction()

set(usage "usage: ${NAME} \\[RUN.h5\\] \\[--springs\\]")
expect(0 "^${usage}" "${PROGRAM}" --help)
expect(1 "unknown argument '--spring'\n${usage}" "${PROGRAM}" --spring)
expect(1 "not to 'a.h5' and 'b.h5'\n${usage}" "${PROGRAM}" a.h5 --springs b.h5)
expect(1 "absent_folder/run.h5.*cannot write the recording" "${PROGRAM}" absent_folder/run.h5)

# HDF5 stores the names of tables as they are.
file(STRINGS "${RECORDING}" found REGEX "anchors")
if(NOT found)
  message(SEND_ERROR "${RECORDING} has no table of anchors")
endif()
