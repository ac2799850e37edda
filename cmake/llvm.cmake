# SPDX-License-Identifier: Apache-2.0
# LLVM through its C API: two link targets.
#   fluxion_llvm         for libfluxion: the static archives of just the components that code generation needs, so that
#                        symbols can be hidden and the rest left out by the linker
#   fluxion_llvm_tests   for test programs: LLVM's own shared library where it exists
# No ORC, no assembly parser, no IR passes: the emitter goes straight to the code generator.
set(FLUXION_LLVM_CONFIG "" CACHE FILEPATH "llvm-config of the LLVM to use; empty: 19, 20 or 18, whichever is found first")
set(llvm_components core analysis target x86codegen)

if(FLUXION_LLVM_CONFIG)
    set(llvm_config "${FLUXION_LLVM_CONFIG}")
else()
    find_program(FLUXION_LLVM_CONFIG_FOUND
        NAMES llvm-config-19 llvm-config-20 llvm-config-18 llvm-config
        HINTS /usr/lib/llvm-19/bin /usr/lib/llvm-20/bin /usr/lib/llvm-18/bin)
    mark_as_advanced(FLUXION_LLVM_CONFIG_FOUND)
    set(llvm_config "${FLUXION_LLVM_CONFIG_FOUND}")
endif()
if(NOT llvm_config)
    message(FATAL_ERROR "No llvm-config found. Install llvm-19-dev (18 and 20 do as well), name one with "
        "-DFLUXION_LLVM_CONFIG=PATH, or configure with -DFLUXION_CPU=OFF for the interpreter alone.")
endif()

# Runs llvm-config; the answer without its newline goes to `out`, empty on failure.
function(ask_llvm out)
    execute_process(COMMAND ${llvm_config} ${ARGN} OUTPUT_VARIABLE answer RESULT_VARIABLE status
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT status EQUAL 0)
        set(answer "")
    endif()
    set(${out} "${answer}" PARENT_SCOPE)
endfunction()

ask_llvm(llvm_version --version)
if(llvm_version VERSION_LESS 18 OR llvm_version VERSION_GREATER_EQUAL 21)
    message(FATAL_ERROR "LLVM ${llvm_version} (${llvm_config}): Fluxion wants 19 and accepts 18 and 20.")
endif()
ask_llvm(llvm_include --includedir)
ask_llvm(llvm_libdir --libdir)
ask_llvm(llvm_static --link-static --libfiles ${llvm_components})
ask_llvm(llvm_shared --link-shared --libfiles)
separate_arguments(llvm_static UNIX_COMMAND "${llvm_static}")
separate_arguments(llvm_shared UNIX_COMMAND "${llvm_shared}")
foreach(file IN LISTS llvm_static)
    if(NOT EXISTS ${file})
        set(llvm_static "")
        break()
    endif()
endforeach()
foreach(file IN LISTS llvm_shared)
    if(NOT EXISTS ${file})
        set(llvm_shared "")
        break()
    endif()
endforeach()

# Of LLVM's system libraries only the compressors and, where LLVM was built with it, terminfo are reached from code
# generation; z3, xml2, edit and ffi are not. Static ones are preferred: then libfluxion needs nothing beside libc.
ask_llvm(llvm_system --link-static --system-libs ${llvm_components})
set(llvm_system_libs "")
foreach(name IN ITEMS zstd z tinfo)
    if(llvm_system MATCHES "-l${name}( |$)|lib${name}\\.(so|a)")
        find_library(FLUXION_LIB_${name} NAMES lib${name}.a ${name})
        mark_as_advanced(FLUXION_LIB_${name})
        if(NOT FLUXION_LIB_${name})
            message(FATAL_ERROR "LLVM needs lib${name}: install its development package (lib${name}-dev, zlib1g-dev).")
        endif()
        list(APPEND llvm_system_libs ${FLUXION_LIB_${name}})
    endif()
endforeach()

add_library(fluxion_llvm INTERFACE)
target_include_directories(fluxion_llvm SYSTEM INTERFACE ${llvm_include})
add_library(fluxion_llvm_tests INTERFACE)
if(llvm_static)
    set(FLUXION_LLVM_STATIC ON)
    target_link_libraries(fluxion_llvm INTERFACE ${llvm_static} ${llvm_system_libs} m ${CMAKE_DL_LIBS})
    message(STATUS "LLVM ${llvm_version}, static (${llvm_config})")
elseif(llvm_shared)
    set(FLUXION_LLVM_STATIC OFF)
    target_link_libraries(fluxion_llvm INTERFACE ${llvm_shared})
    message(WARNING "LLVM ${llvm_version} has no static libraries here: libfluxion will need ${llvm_shared} at run time, "
        "and its symbols are visible to the whole process.")
else()
    message(FATAL_ERROR "LLVM ${llvm_version}: no libraries in ${llvm_libdir} (is llvm-dev complete?)")
endif()
if(llvm_shared)
    target_link_libraries(fluxion_llvm_tests INTERFACE ${llvm_shared})
else()
    target_link_libraries(fluxion_llvm_tests INTERFACE fluxion_llvm)
endif()
