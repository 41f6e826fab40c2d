#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#   testing_port.sh C_COMPILER ARCHIVE,ARCHIVE… PROJECT [FLAGS…]
set -euo pipefail
compiler=$1 project=$3
IFS=, read -r -a archives <<<"$2"
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.c" <<'SOURCE'
#include "sotto_testing.h"
#ifdef IS_TEST
SOTTO_TEST_PROGRAM();
#endif
int main(void) {
    sotto_testing testing;
    sotto_testing_init(&testing, (const uint8_t *)"seed", 4, 0);
    uint8_t byte;
    const sotto_port port = sotto_testing_port(&testing);
    return port.entropy->read(port.entropy->context, &byte, 1) == 1 ? 0 : 1;
}
SOURCE
build() {
    "$compiler" "$@" -O2 -DNDEBUG -I"$project/sdk/include" -I"$project/ports/testing" "$work/main.c" \
        "${archives[@]}" -o "$work/program" 2>"$work/log"
}
build "$@" -DIS_TEST || { cat "$work/log" >&2; exit 1; }
"$work/program"
if build "$@"; then
    echo 'a program that is no test linked the testing port' >&2
    exit 1
fi
grep -q sotto_this_program_is_a_test "$work/log"
