# SPDX-License-Identifier: Apache-2.0
# cmake --install: headers, both libraries, the tool, fluxion.pc and a CMake package with fluxion::fluxion (shared) and
# fluxion::fluxion_static. Both descriptions find their files relative to themselves, so that the tree can be moved.
include(CMakePackageConfigHelpers)
install(TARGETS fluxion LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET fluxion_cli)
    install(TARGETS fluxion_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${PROJECT_SOURCE_DIR}/docs/fluxion.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What the README points at.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/third_party/yyjson/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses
    RENAME yyjson.txt)
if(FLUXION_PJRT)
    install(FILES ${PROJECT_SOURCE_DIR}/third_party/pjrt/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses
        RENAME pjrt.txt)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/third_party/miniz/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses
    RENAME miniz.txt)
if(FLUXION_CPU)
    install(FILES ${PROJECT_SOURCE_DIR}/third_party/pocketfft/LICENSE.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses
        RENAME pocketfft.txt)
endif()
if(FLUXION_CPU AND FLUXION_LLVM_STATIC) # what then lies in the libraries
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/cmake/licenses DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

list(JOIN fluxion_static_libs " " FLUXION_STATIC_LIBS)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fluxion)
file(RELATIVE_PATH FLUXION_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/fluxion.pc.in ${CMAKE_BINARY_DIR}/package/fluxion.pc @ONLY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fluxionConfig.cmake.in
    ${CMAKE_BINARY_DIR}/package/fluxionConfig.cmake INSTALL_DESTINATION ${package_dir}
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/fluxionConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/fluxion.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/package/fluxionConfig.cmake ${CMAKE_BINARY_DIR}/package/fluxionConfigVersion.cmake
    DESTINATION ${package_dir})
