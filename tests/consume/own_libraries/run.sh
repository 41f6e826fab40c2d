#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the firmware with libraries of its own, and holds what each program prints against what
# Sotto alone and the libraries alone print.
#   run.sh PROJECT WORK_FOLDER CMAKE_ARGUMENTS… -- [EMULATOR…]     the emulator's command, kernel last
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$1 work=$2
shift 2
arguments=()
while [ "$1" != -- ]; do
    arguments+=("$1")
    shift
done
shift
rm -rf "$work"
mkdir -p "$work"
cmake -G Ninja -S "$here" -B "$work" -DSOTTO_DIR="$project" \
    -DNANOPB_DIR="$("$project/tools/setup.sh" --source nanopb)" "${arguments[@]}" >"$work/log" 2>&1 &&
    cmake --build "$work" -- sotto_alone own_alone own_first own_last >>"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
output() { # PROGRAM: what it prints, on standard error under an emulator
    local file=$work/bin/$1
    [ -f "$file" ] || file=$file.elf
    "${@:2}" "$file" </dev/null 2>&1 || {
        echo "own_libraries: $1: exit $?" >&2
        exit 1
    }
}
output own_alone "$@" >"$work/expected"
output sotto_alone "$@" >>"$work/expected"
for order in own_first own_last; do
    output "$order" "$@" >"$work/$order.txt"
    diff "$work/expected" "$work/$order.txt" || {
        echo "own_libraries: $order does not print what each alone prints" >&2
        exit 1
    }
done
[ "$(wc -l <"$work/expected")" = 2 ]
echo 'own_libraries: both orders print what each alone prints'
