#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh PATH/TO/fluxion-cases BACKEND FOLDER_FOR_TEMPORARY_FILES
# Tests of the runner: every case of pass.json passes, every one of fail.json fails (so that it can), every one of skip.json is
# skipped; files that are not in the format end with status 2; the lists are held against the results.
set -u
program=$1 backend=$2 lists=$3/lists_$2
own=$(cd "$(dirname "$0")" && pwd)
bad=0

# check STATUS "LAST LINE OR WORDS OF THE OUTPUT" ARGUMENT...
check() {
    status=$1 words=$2
    shift 2
    output=$("$program" --backend "$backend" "$@" 2>&1)
    got=$?
    if [ "$got" != "$status" ] || ! printf '%s\n' "$output" | grep -q -e "$words"; then
        printf 'fluxion-cases %s: status %s, wanted %s and "%s"\n%s\n' "$*" "$got" "$status" "$words" "$output"
        bad=1
    fi
}

# lists UNSUPPORTED FAILING CONVENTION: a folder with these lists
lists() {
    rm -rf "$lists" && mkdir -p "$lists"
    printf '%b' "$1" > "$lists/unsupported.txt"
    printf '%b' "$2" > "$lists/failing.txt"
    printf '%b' "$3" > "$lists/convention.txt"
}

cases() { grep -c -e '^{' -e '^7' "$own/$1.json"; }

check 0 "^$(cases pass) passed, 0 failed, 0 skipped\$" "$own/pass.json"
check 1 "^0 passed, $(cases fail) failed, 0 skipped\$" "$own/fail.json"
check 0 "^0 passed, 0 failed, $(cases skip) skipped\$" "$own/skip.json"
check 0 'frobnicate (2)' "$own/skip.json"
check 0 '^lacks/two: frobnicate nn.twiddle$' "$own/skip.json" --list-unsupported
check 0 '^pass data/packed$' "$own/pass.json" --verbose --category data
for file in "$own"/broken_*.json "$own/missing.json"; do check 2 "$(basename "$file"): " "$file"; done
check 2 'usage:' --surely-not "$own/pass.json"
check 2 'usage:' "$own/pass.json" --category

lacks='lacks/operation: why\nlacks/two: why\nlacks/option: why\n'
lists "$lacks" '# none\n\n' 'convention/other_value: why\n'
check 0 'skipped$' "$own/skip.json" --expect "$lists"
lists 'lacks/two: why\nlacks/option: why\n' '' 'convention/other_value: why\n'
check 1 '^LIST lacks/operation: is unsupported' "$own/skip.json" --expect "$lists"
lists "$lacks" '' ''
check 1 '^LIST convention/other_value: fails' "$own/skip.json" --expect "$lists"
lists "$lacks" 'convention/other_value: why\ngone/away: why\n' ''
check 1 '^LIST gone/away: .* no such case' "$own/skip.json" --expect "$lists"
lists '' 'data/complex: why\n' ''
check 1 '^LIST data/complex: passes now, remove it from failing.txt$' "$own/pass.json" --expect "$lists"
lists 'data/complex\n' '' ''
check 2 "no 'id: reason'" "$own/pass.json" --expect "$lists"
lists 'a: why\n' 'a: why\n' ''
check 2 'twice' "$own/pass.json" --expect "$lists"
check 2 'cannot be read' "$own/pass.json" --expect "$lists/missing"
rm -rf "$lists"
"$program" --format | grep -q convention || { echo "--format fails"; bad=1; }
"$program" --ops | grep -q '^add(n:x n:y)$' || { echo "--ops fails"; bad=1; }
[ "$bad" = 0 ] && echo "The runner does what its own cases say."
exit $bad
