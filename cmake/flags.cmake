# SPDX-License-Identifier: Apache-2.0
# fluxion_flags: what every C file here is compiled with. C11 without extensions; no contraction, because a result may use
# FMA only where the emitter writes one; sanitizers for the sanitizer presets.
add_library(fluxion_flags INTERFACE)
target_compile_features(fluxion_flags INTERFACE c_std_11)
target_compile_options(fluxion_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${FLUXION_WERROR}>:-Werror>
    -ffp-contract=off -ffunction-sections -fdata-sections)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

if(FLUXION_SANITIZE)
    set(sanitize_flags -fsanitize=${FLUXION_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(fluxion_flags INTERFACE ${sanitize_flags})
    target_link_options(fluxion_flags INTERFACE ${sanitize_flags})
endif()
