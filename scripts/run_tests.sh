#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: [TIER=quick|full|long] [JOBS=n] run_tests.sh BUILD_DIR [CTEST ARGUMENT...]
# Runs the tests of a tier and of those below it. A run without a single test is a failure.
set -eu
build=$1
shift
case "${TIER:-full}" in
quick) labels='^quick$' ;;
full) labels='^(quick|full)$' ;;
long) labels='^(quick|full|long)$' ;;
*) echo "TIER is quick, full or long" >&2; exit 2 ;;
esac
exec ctest --test-dir "$build" -L "$labels" --output-on-failure --no-tests=error -j "${JOBS:-2}" "$@"
