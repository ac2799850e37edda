# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=.. [-DARGUMENTS=a;b] -DEXPECTED=.. -P run_example.cmake: fails unless the program succeeds and prints
# exactly that file.
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} OUTPUT_VARIABLE got RESULT_VARIABLE status)
file(READ ${EXPECTED} wanted)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${status}; it printed:\n${got}")
endif()
if(NOT got STREQUAL wanted)
    message(FATAL_ERROR "${PROGRAM}: printed\n${got}\n${EXPECTED} holds\n${wanted}")
endif()
