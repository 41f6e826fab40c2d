#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Our Mbed TLS and nanopb have no global name that a firmware's own may have, and one is noticed.
#   check.sh PROJECT NM AR C_COMPILER ARCHIVE…
set -euo pipefail
project=$1 nm=$2 ar=$3 compiler=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$project/tools/private_names.py" --nm "$nm" --check "$@"
echo 'int mbedtls_planted(void); int mbedtls_planted(void) { return 0; }' |
    "$compiler" -c -xc -ffreestanding - -o "$work/planted.o"
cp "$1" "$work/libplanted.a"
"$ar" q "$work/libplanted.a" "$work/planted.o"
if "$project/tools/private_names.py" --nm "$nm" --check "$work/libplanted.a" 2>"$work/log" ||
    ! grep -q 'without sotto_: mbedtls_planted;' "$work/log"; then
    echo 'private_names: a planted name was not noticed' >&2
    exit 1
fi
echo 'private_names: every name is ours'
