#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes the files that README.md and docs/API.md show (the code blocks after a line **`name`**).
# Builds them as a stranger's project and runs the program.
#   readme.sh PROJECT C_COMPILER CXX_COMPILER SOTTO WORK_FOLDER
set -euo pipefail
project=$1 work=$5
rm -rf "$work"
mkdir -p "$work"
awk -v work="$work" '
    /^\*\*`[^`]+`\*\*/ { split($0, part, "`"); file = work "/" part[2]; next }
    /^```/ { inside = !inside; if (!inside) file = ""; next }
    inside && file != "" { print > file }' "$project/README.md" "$project/docs/API.md"
for file in metrics.toml CMakeLists.txt main.c try.sh main.cpp; do
    [ -s "$work/$file" ] || {
        echo "README.md and docs/API.md show no $file" >&2
        exit 1
    }
done
cd "$work"
# The program is built already, wherever this build puts it.
mkdir -p "$work/sotto/build/host"
for entry in "$project"/*; do
    [ "${entry##*/}" = build ] || ln -s "$entry" "$work/sotto/"
done
ln -s "$(dirname "$4")" "$work/sotto/build/host/bin"
CMAKE_GENERATOR=Ninja CC=$2 CXX=$3 SOTTO_DIR=$work/sotto sh -e "$work/try.sh" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
[ "$(wc -c <"$work/reports.bin")" -eq 42 ] || {
    echo "the README's program wrote $(wc -c <"$work/reports.bin") bytes, not one report" >&2
    exit 1
}
grep -q '^1 report from 1 envelope' "$work/log" && grep -q '^window_open' "$work/log" || {
    cat "$work/log"
    echo "the README's commands did not end in an estimate" >&2
    exit 1
}
# The same device has nothing more to say on the same day.
if (cd "$work" && build/window) >"$work/again" 2>"$work/error" || [ -s "$work/again" ]; then
    echo "the README's device reported twice" >&2
    exit 1
fi
grep -q 'measured in this epoch already' "$work/error"
# The C++ program in place of the C program, on a new device.
rm -r "$work/window_state"
mkdir "$work/window_state"
sed 's/main\.c)/main.cpp)/' "$work/CMakeLists.txt" >"$work/CMakeLists.new"
mv "$work/CMakeLists.new" "$work/CMakeLists.txt"
cmake --build "$work/build" >"$work/log" 2>&1 && "$work/build/window" || {
    cat "$work/log"
    exit 1
}
