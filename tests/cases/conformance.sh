#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: conformance.sh PATH/TO/fluxion-cases BACKEND
# Runs $FLUXION_CONFORMANCE/gomlx-cases.json and compares with the lists beside this script. Without FLUXION_CONFORMANCE it
# says so and ends with 77, which ctest counts as skipped; with it, a missing file is a failure.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${FLUXION_CONFORMANCE:-}" ]; then
    echo "Skipped: FLUXION_CONFORMANCE names no folder, so the cases of gomlx-cases.json are not run on $2."
    exit 77
fi
file=$FLUXION_CONFORMANCE/gomlx-cases.json
if [ ! -f "$file" ]; then
    echo "FLUXION_CONFORMANCE is set, but there is no $file" >&2
    exit 1
fi
exec "$1" "$file" --backend "$2" --expect "$here"
