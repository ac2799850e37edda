#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: setup.sh build|demo|test
# Finds what is missing for that purpose on a Debian or Ubuntu machine, says what and why, and installs it (with sudo when
# not root). FLUXION_NO_INSTALL=1 only names it and fails. Elsewhere it names what is missing and fails too.
# FLUXION_LLVM_CONFIG=PATH in the environment says that an LLVM is there and which.
set -eu
cd "$(dirname "$0")/.."
purpose=$1
packages=
reasons=

need() { # need PACKAGE WHY
    packages="$packages $1"
    reasons="$reasons
  $1: $2"
}

have() { command -v "$1" > /dev/null 2>&1; }

compiles() { # compiles "HEADER" "LINK FLAGS"
    printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\nint main(void) { return 0; }\n' "$1" |
        ${CC:-cc} -x c - -o /dev/null $2 2> /dev/null
}

llvm_is_there() { # an llvm-config of 18 to 20 whose static or shared libraries are installed too
    for config in ${FLUXION_LLVM_CONFIG:-} llvm-config-19 llvm-config-20 llvm-config-18 llvm-config \
        /usr/lib/llvm-19/bin/llvm-config /usr/lib/llvm-20/bin/llvm-config /usr/lib/llvm-18/bin/llvm-config; do
        have "$config" || continue
        case "$("$config" --version)" in 18.* | 19.* | 20.*) ;; *) continue ;; esac
        if [ -f "$("$config" --includedir)/llvm-c/Core.h" ]; then return 0; fi
    done
    return 1
}

candidate() { # is this package in the repositories?
    apt-cache policy "$1" 2> /dev/null | grep -q 'Candidate: [0-9]'
}

mkdir -p build
have cmake || need cmake "configures the build"
have ninja || need ninja-build "runs the build"
have c++ || have g++ || need g++ "links LLVM, which is C++, into the library"
if ! have ar || ! have objcopy; then need binutils "makes the static library"; fi
llvm_missing=no
if [ "${FLUXION_CPU:-ON}" = OFF ]; then
    :
elif llvm_is_there; then
    rm -f build/no-llvm
elif [ ! -f build/no-llvm ]; then
    llvm_missing=yes
fi
if [ "${FLUXION_CPU:-ON}" != OFF ] && [ ! -f build/no-llvm ]; then
    compiles zstd.h -lzstd || need libzstd-dev "LLVM is linked with it"
    compiles zlib.h -lz || need zlib1g-dev "LLVM is linked with it"
fi
if [ "$purpose" = test ]; then
    compiles cmocka.h -lcmocka || need libcmocka-dev "the test framework"
    compiles json-c/json.h -ljson-c || need libjson-c-dev "reads the files of test cases"
    python3 -m pip --version > /dev/null 2>&1 || need python3-pip "downloads the PJRT plugins that tests run on"
    have pkg-config || need pkg-config "one test builds a program through it"
    have python3 || need python3 "runs the checks of the source tree"
fi
[ -n "$packages" ] || [ "$llvm_missing" = yes ] || exit 0

if [ "${FLUXION_NO_INSTALL:-0}" = 1 ] || ! have apt-get; then
    [ "$llvm_missing" = no ] || need llvm-19-dev "the code generator of the CPU backend (18 and 20 do as well)"
    echo "Missing (Debian and Ubuntu package names):$reasons" >&2
    exit 1
fi
root=
if [ "$(id -u)" != 0 ]; then
    have sudo || { echo "Missing, and there is no sudo to install it with:$packages llvm-19-dev$reasons" >&2; exit 1; }
    root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
echo "Asking apt for the current package lists."
$root apt-get update -qq || echo "apt-get update failed; going on with the lists there are." >&2
if [ "$llvm_missing" = yes ]; then
    for version in 19 20 18; do
        if candidate "llvm-$version-dev"; then
            need "llvm-$version-dev" "the code generator of the CPU backend"
            llvm_missing=no
            break
        fi
    done
    if [ "$llvm_missing" = yes ]; then
        echo "This system's repositories have no LLVM 18, 19 or 20: Fluxion is built with its interpreter alone, which is"
        echo "correct but slow. (Remove build/no-llvm after installing one from elsewhere.)"
        : > build/no-llvm
    fi
fi
[ -n "$packages" ] || exit 0
echo "Installing with apt-get:$reasons"
# shellcheck disable=SC2086
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages > build/apt.log 2>&1 || {
    tail -n 20 build/apt.log >&2
    exit 1
}
