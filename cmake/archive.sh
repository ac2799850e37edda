#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: archive.sh LD OBJCOPY AR NM OUTPUT OBJECT... -- ARCHIVE...
# Links the objects, and what they use of the archives, into one relocatable object; drops what no public function
# reaches; makes every symbol but fx_* local; stores the object in OUTPUT. COMDAT groups are dissolved, because a program's
# own copy of a C++ inline function must not make the linker discard ours, whose symbol is local.
set -eu
ld=$1 objcopy=$2 ar=$3 nm=$4 output=$5
shift 5
object="${output%.a}.o"
roots="$object.roots"
work="$object.objects"
: > "$work"
while [ $# -gt 0 ] && [ "$1" != "--" ]; do
    printf '%s\n' "$1" >> "$work"
    shift
done
[ $# -eq 0 ] || shift
xargs "$nm" -g --defined-only < "$work" | awk '$3 ~ /^fx_/ { print "--undefined=" $3 }' > "$roots"
"$ld" -r --force-group-allocation --gc-sections -o "$object" @"$roots" @"$work" --start-group "$@" --end-group
"$objcopy" --wildcard --weaken-symbol='_Z*' "$object" # unique symbols, which the next step would leave alone
"$objcopy" --wildcard --keep-global-symbol='fx_*' "$object"
rm -f "$output"
"$ar" rcs "$output" "$object"
rm -f "$object" "$roots" "$work"
