#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: get_plugins.sh SCRIPT OUTPUT: the paths of the PJRT plugins that tests use, into a file that stays empty, with a
# notice, where they cannot be had. Under CI=true that is a failure.
if "$1" > "$2.new"; then
    mv "$2.new" "$2"
    exit 0
fi
rm -f "$2.new"
: > "$2"
echo "the tests of the pjrt backend are skipped: its plugins cannot be had here"
[ "${CI:-}" != true ]
