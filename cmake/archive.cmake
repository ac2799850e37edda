# SPDX-License-Identifier: Apache-2.0
# libfluxion.a: one relocatable object with LLVM (and the C++ library it needs) inside. Everything but fx_* is made local,
# so that a program which brings another LLVM, or links a PJRT plugin, sees no second definition of anything.
set(archive ${CMAKE_BINARY_DIR}/lib/libfluxion.a)
set(archive_parts "")
if(FLUXION_CPU AND FLUXION_LLVM_STATIC)
    set(archive_parts ${llvm_static} ${llvm_system_libs})
    list(FILTER archive_parts INCLUDE REGEX "\\.a$")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE libstdcxx
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(IS_ABSOLUTE "${libstdcxx}" AND EXISTS "${libstdcxx}")
        list(APPEND archive_parts ${libstdcxx})
    endif()
endif()

# What a program has to add when it links libfluxion.a; used by fluxion.pc and the CMake package too.
set(fluxion_static_libs -lpthread -lm -ldl)
if(FLUXION_CPU AND FLUXION_LLVM_STATIC)
    foreach(library IN LISTS llvm_system_libs)
        if(NOT library MATCHES "\\.a$")
            list(PREPEND fluxion_static_libs ${library})
        endif()
    endforeach()
    if(NOT "${libstdcxx}" IN_LIST archive_parts)
        list(PREPEND fluxion_static_libs -lstdc++)
    endif()
elseif(FLUXION_CPU)
    list(PREPEND fluxion_static_libs ${llvm_shared})
endif()

add_custom_command(OUTPUT ${archive}
    COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/archive.sh ${CMAKE_LINKER} ${CMAKE_OBJCOPY} ${CMAKE_AR} ${CMAKE_NM} ${archive}
        $<TARGET_OBJECTS:fluxion_objects> -- ${archive_parts}
    DEPENDS fluxion_objects $<TARGET_OBJECTS:fluxion_objects> ${PROJECT_SOURCE_DIR}/cmake/archive.sh
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Linking libfluxion.a as one object")
add_custom_target(fluxion_archive ALL DEPENDS ${archive})
add_library(fluxion_static STATIC IMPORTED GLOBAL)
add_library(fluxion::fluxion_static ALIAS fluxion_static)
set_target_properties(fluxion_static PROPERTIES IMPORTED_LOCATION ${archive})
target_include_directories(fluxion_static INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(fluxion_static INTERFACE ${fluxion_static_libs})
add_dependencies(fluxion_static fluxion_archive)
