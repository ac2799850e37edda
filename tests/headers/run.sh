#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh INCLUDE_DIR LIBRARY_DIR
# The short forms as users meet them, with each C and C++ compiler there is: good.c compiles with every warning on and
# runs; each CASE of bad.c is refused with the words of its comment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
include=$1
libraries=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/good.c" "$work/good.cpp"
cp "$here/bad.c" "$work/bad.cpp"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wfloat-conversion -Werror"
failed=0

# compiler and standard, suffix, which half of the comments
try() {
    compiler=$1
    suffix=$2
    half=$3
    source=$here
    [ "$suffix" = c ] || source=$work
    # shellcheck disable=SC2086
    $compiler $warnings -I "$include" "$source/good.$suffix" -o "$work/good" -L "$libraries" -lfluxion \
        "-Wl,-rpath,$libraries" && "$work/good" || { echo "$compiler: good.$suffix"; failed=1; }
    sed -n 's,^#.*if CASE == \([0-9]*\) /\* \(.*\) | \(.*\)\*/$,\1;\2;\3,p' "$here/bad.c" > "$work/cases"
    while IFS=';' read -r number c cpp; do
        words=${c% }
        [ "$half" = 1 ] || words=${cpp% }
        [ -n "$words" ] || continue
        if $compiler -fsyntax-only -DCASE="$number" -I "$include" "$source/bad.$suffix" 2> "$work/message"; then
            echo "$compiler: case $number is accepted"
            failed=1
        elif ! grep -qF "$words" "$work/message"; then
            echo "$compiler: case $number does not say \"$words\":"
            head -5 "$work/message"
            failed=1
        fi
    done < "$work/cases"
}

count=$(grep -c 'if CASE ==' "$here/bad.c")
for compiler in gcc clang; do
    command -v $compiler > /dev/null && try "$compiler -std=c11" c 1
done
for compiler in g++ clang++; do
    command -v $compiler > /dev/null && try "$compiler -std=c++17" cpp 2
done
[ "$(wc -l < "$work/cases")" = "$count" ] || { echo "not all cases were read"; failed=1; }
exit $failed
