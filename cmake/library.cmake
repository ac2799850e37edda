# SPDX-License-Identifier: Apache-2.0
# The library's sources, folder by folder in the order of the layers, and what is made of them.
set(fluxion_folders base tensor graph ops grad random nn passes stablehlo backend/interp exec)
if(FLUXION_PJRT)
    list(APPEND fluxion_folders backend/pjrt)
endif()
if(FLUXION_CPU)
    list(APPEND fluxion_folders backend/cpu)
endif()
set(fluxion_sources "")
foreach(folder IN LISTS fluxion_folders)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.c)
    list(APPEND fluxion_sources ${found})
endforeach()

# The FFT library: C++ (vendored, header only), once per instruction set. No exception leaves these files. Its vectors are
# written out; gcc's own would contract products and sums (into vfmaddsub) whatever -ffp-contract says. Checks of undefined
# behaviour would take minutes to compile in so many instances of templates.
if(FLUXION_CPU)
    set(unchecked "")
    if(FLUXION_SANITIZE MATCHES "undefined")
        set(unchecked -fno-sanitize=undefined)
    endif()
    foreach(isa avx2 avx512)
        set(file ${PROJECT_SOURCE_DIR}/src/backend/cpu/fft/fft_${isa}.cpp)
        list(APPEND fluxion_sources ${file})
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
            "$<IF:$<STREQUAL:${isa},avx512>,-mavx512f,-mavx2>;-fvisibility=hidden;-fvisibility-inlines-hidden;-Wno-conversion;-fno-tree-vectorize;${unchecked}")
    endforeach()
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_STANDARD_REQUIRED ON)
    set(CMAKE_CXX_EXTENSIONS OFF)
endif()

# The JSON library (vendored, one file), less what is not used: it reads and writes memory by our allocator.
set(yyjson ${PROJECT_SOURCE_DIR}/third_party/yyjson/yyjson.c)
list(APPEND fluxion_sources ${yyjson})
set_source_files_properties(${yyjson} PROPERTIES COMPILE_OPTIONS "-w;-Os" COMPILE_DEFINITIONS
    "YYJSON_DISABLE_FAST_FP_CONV=1;YYJSON_DISABLE_UTILS=1;YYJSON_DISABLE_INCR_READER=1;YYJSON_DISABLE_NON_STANDARD=1;yyjson_api=")

# The zip library (vendored, one file): memory, reads and times are ours.
set(miniz ${PROJECT_SOURCE_DIR}/third_party/miniz/miniz.c)
set(miniz_options MINIZ_NO_STDIO=1 MINIZ_NO_TIME=1 MINIZ_NO_MALLOC=1 MINIZ_NO_ZLIB_APIS=1 MINIZ_NO_ZLIB_COMPATIBLE_NAMES=1
    MINIZ_NO_ARCHIVE_WRITING_APIS=1)
list(APPEND fluxion_sources ${miniz})
set_source_files_properties(${miniz} PROPERTIES COMPILE_OPTIONS -w)
set_source_files_properties(${miniz} ${PROJECT_SOURCE_DIR}/src/tensor/npz_read.c ${PROJECT_SOURCE_DIR}/src/tensor/npz_write.c
    PROPERTIES COMPILE_DEFINITIONS "${miniz_options}")

# Library kernels are plain loops that are there to be vectorised; the interpreter alone is to be small instead.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/backend/cpu/kernels/*.c
    ${PROJECT_SOURCE_DIR}/src/ops/linalg_*.c)
if(FLUXION_CPU AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_source_files_properties(${kernel_sources} PROPERTIES COMPILE_OPTIONS -O3)
endif()

# Vector code written out, a file per instruction set; the compiler's own vectors would only add shuffles.
if(FLUXION_CPU)
    set(vectors ${PROJECT_SOURCE_DIR}/src/backend/cpu/kernels/quantized_)
    set_property(SOURCE ${vectors}avx2.c ${vectors}avx512.c APPEND PROPERTY COMPILE_OPTIONS
        -mavx2 -mfma -mf16c -fno-tree-vectorize -fno-tree-slp-vectorize)
    set_property(SOURCE ${vectors}avx512.c APPEND PROPERTY COMPILE_OPTIONS -mavx512f -mavx512bw -mavx512dq -mavx512vl)
endif()

add_library(fluxion_objects OBJECT ${fluxion_sources})
set_target_properties(fluxion_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(fluxion_objects PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
if(NOT FLUXION_CPU AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    # gcc 12 turns a loop over a span into memcpy, and then takes the span of nothing for one that is not NULL. Unwind
    # tables were 15 % of the library; C has no use for them, and exceptions do not pass through it.
    target_compile_options(fluxion_objects PRIVATE -Os -fno-asynchronous-unwind-tables -fno-unwind-tables
        $<$<C_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>)
endif()
target_compile_definitions(fluxion_objects PRIVATE FX_NO_CALL_SITES FLUXION_CPU=$<BOOL:${FLUXION_CPU}>
    FLUXION_PJRT=$<BOOL:${FLUXION_PJRT}>)
target_include_directories(fluxion_objects SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/third_party/yyjson
    ${PROJECT_SOURCE_DIR}/third_party/pjrt ${PROJECT_SOURCE_DIR}/third_party/miniz)
target_compile_options(fluxion_objects PRIVATE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
target_link_libraries(fluxion_objects PRIVATE fluxion_flags)
if(FLUXION_CPU)
    target_include_directories(fluxion_objects SYSTEM PRIVATE ${llvm_include} ${PROJECT_SOURCE_DIR}/third_party/pocketfft)
endif()

# ---- libfluxion.so: only fx_* leaves it ----
add_library(fluxion SHARED $<TARGET_OBJECTS:fluxion_objects>)
add_library(fluxion::fluxion ALIAS fluxion)
set(version_script ${PROJECT_SOURCE_DIR}/cmake/fluxion.map)
set_target_properties(fluxion PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${FX_ABI} LINK_DEPENDS ${version_script})
target_include_directories(fluxion INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(fluxion PRIVATE fluxion_flags Threads::Threads m ${CMAKE_DL_LIBS})
if(NOT FLUXION_CPU)
    # Addresses in tables were 7 % of the small library. Needs a linker of 2022 and the glibc of the same year.
    include(CheckLinkerFlag)
    check_linker_flag(C -Wl,-z,pack-relative-relocs packs_relocations)
    if(packs_relocations)
        target_link_options(fluxion PRIVATE -Wl,-z,pack-relative-relocs)
    endif()
endif()
target_link_options(fluxion PRIVATE -Wl,--version-script=${version_script} -Wl,--gc-sections -Wl,--as-needed)
if(NOT FLUXION_SANITIZE)
    target_link_options(fluxion PRIVATE -Wl,-z,defs -Wl,-z,relro -Wl,-z,now)
endif()
if(FLUXION_CPU)
    target_link_libraries(fluxion PRIVATE fluxion_llvm)
    set_target_properties(fluxion PROPERTIES LINKER_LANGUAGE CXX)
    target_link_options(fluxion PRIVATE -Wl,--exclude-libs,ALL -static-libstdc++ -static-libgcc)
else()
    set_target_properties(fluxion PROPERTIES LINKER_LANGUAGE C)
endif()

# ---- fluxion_internal: the same objects for the tests, which may call fxi_* ----
add_library(fluxion_internal STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:fluxion_objects>)
target_include_directories(fluxion_internal PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_include_directories(fluxion_internal SYSTEM PUBLIC ${PROJECT_SOURCE_DIR}/third_party/yyjson
    ${PROJECT_SOURCE_DIR}/third_party/pjrt)
target_compile_definitions(fluxion_internal PUBLIC FLUXION_CPU=$<BOOL:${FLUXION_CPU}>
    FLUXION_PJRT=$<BOOL:${FLUXION_PJRT}>)
target_link_libraries(fluxion_internal PUBLIC Threads::Threads m ${CMAKE_DL_LIBS})
if(FLUXION_CPU)
    target_include_directories(fluxion_internal SYSTEM PUBLIC ${llvm_include})
    target_link_libraries(fluxion_internal PUBLIC fluxion_llvm_tests)
endif()
