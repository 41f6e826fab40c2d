#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes the files that README.md shows (the code blocks after a line **`name`**), builds them as a
# stranger's project and runs the program.
#   readme.sh CMAKE PROJECT WORK_FOLDER C_COMPILER CXX_COMPILER
set -euo pipefail
cmake=$1 project=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
awk -v work="$work" '
    /^\*\*`[^`]+`\*\*/ { split($0, part, "`"); file = work "/" part[2]; next }
    /^```/ { inside = !inside; if (!inside) file = ""; next }
    inside && file != "" { print > file }' "$project/README.md"
for file in metrics.toml CMakeLists.txt main.c; do
    [ -s "$work/$file" ] || {
        echo "README.md shows no $file" >&2
        exit 1
    }
done
"$cmake" -S "$work" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$4" -DCMAKE_CXX_COMPILER="$5" -DSOTTO_DIR="$project" >"$work/log" 2>&1 &&
    "$cmake" --build "$work/build" >>"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
"$work/build/window" >"$work/report.bin"
[ "$(wc -c <"$work/report.bin")" -eq 74 ] || {
    echo "the README's program wrote $(wc -c <"$work/report.bin") bytes, not one report" >&2
    exit 1
}
