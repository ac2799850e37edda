#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: configure.sh PRESET [CMAKE ARGUMENT...]
# Configures build/PRESET. Where no LLVM 18 to 20 is to be had (scripts/setup.sh then left build/no-llvm), the build is of
# the interpreter alone.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
if [ -f build/no-llvm ]; then
    set -- "$@" -DFLUXION_CPU=OFF
fi
mkdir -p build
log=build/configure-$preset.log
if ! cmake --preset "$preset" "$@" > "$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
grep -E '^-- LLVM|^CMake Warning' "$log" || true
