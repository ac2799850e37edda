#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh BUILD_DIR C_COMPILER
# Installs the build into a temporary prefix, moves that prefix, and builds and runs program.c there against each library
# through pkg-config and through find_package, outside the tree and seeing nothing of it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" > "$work/install.log"
mv "$work/first" "$work/prefix"
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name fluxion.pc)")/..
export PKG_CONFIG_PATH=$libdir/pkgconfig
cp "$here/program.c" "$here/CMakeLists.txt" "$work/"
warnings="-std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

echo "the tool"
env -u LD_LIBRARY_PATH "$prefix/bin/fluxion" --version
find "$prefix" -name fluxion.1 | grep -q man1

echo "pkg-config, shared"
# shellcheck disable=SC2046,SC2086
"$cc" $warnings "$work/program.c" -o "$work/shared" $(pkg-config --cflags --libs fluxion)
LD_LIBRARY_PATH=$libdir "$work/shared"

echo "pkg-config, static"
# shellcheck disable=SC2046,SC2086
"$cc" $warnings "$work/program.c" -o "$work/static" $(pkg-config --cflags fluxion) \
    $(pkg-config --static --libs fluxion | sed 's/-lfluxion/-l:libfluxion.a/')
env -u LD_LIBRARY_PATH "$work/static"

echo "find_package"
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" > "$work/configure.log" ||
    { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build" > "$work/build.log" || { cat "$work/build.log"; exit 1; }
for program in with_fluxion with_fluxion_cxx with_fluxion_static with_fluxion_static_cxx; do
    env -u LD_LIBRARY_PATH "$work/build/$program"
done

documents=$prefix/share/doc/fluxion
[ -s "$documents/LICENSE" ] || { echo "no licence is installed"; exit 1; }
for name in LLVM pocketfft yyjson zstd zlib; do # as far as the libraries contain them
    if nm "$libdir/libfluxion.a" 2> /dev/null | grep -qi "$name" && ! [ -s "$documents/licenses/$name.txt" ]; then
        echo "libfluxion contains $name, whose licence is not installed"
        exit 1
    fi
done

if readelf -d "$work/static" | grep -E 'NEEDED.*(LLVM|fluxion)'; then
    echo "the program linked to libfluxion.a still needs a shared library"
    exit 1
fi
