#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program as a packager does, without presets, once a build type, and runs each through
# every mechanism. Equal seeds make equal report files and equal estimates, whatever the build.
#   packager.sh OUT [TYPE…]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath -m "$1")
shift
[ $# -gt 0 ] || set -- Release RelWithDebInfo Debug
mkdir -p "$out"

same() { # FILE TYPE TYPE
    cmp "$out/$2/run/$1" "$out/$3/run/$1" || {
        echo "packager: $1 of $2 and of $3 differ" >&2
        exit 1
    }
}

for type in "$@"; do
    cmake -S "$root" -B "$out/$type" -DCMAKE_BUILD_TYPE="$type" -DSOTTO_TESTS=OFF
    cmake --build "$out/$type" --target sotto -j 2
    "$out/$type/bin/sotto" --version
    "$root/examples/mechanisms/run.sh" "$out/$type/bin/sotto" "$out/$type/run" 2026
    for file in reports.bin level0.json level2.json epsilon.json; do
        same "$file" "$1" "$type"
    done
    echo "packager: $type builds and runs"
done
