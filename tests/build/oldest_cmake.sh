#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The README's example with CMake 3.22, the oldest that builds a device.
#   oldest_cmake.sh PROJECT C_COMPILER CXX_COMPILER SOTTO WORK_FOLDER
set -euo pipefail
cmake=$("$1/tools/setup.sh" --tool cmake) || {
    echo 'skipped: CMake 3.22 is missing'
    exit 77
}
(cd "$1" && "$cmake" --list-presets >/dev/null) || {
    echo 'CMake 3.22 does not read the presets that README.md names' >&2
    exit 1
}
rm -rf "$5"
mkdir -p "$5/bin"
ln -s "$cmake" "$5/bin/cmake"
export PATH=$5/bin:$PATH
"$1/tests/consume/readme.sh" "$1" "$2" "$3" "$4" "$5/readme"
grep -q '^CMAKE_CACHE_MINOR_VERSION:INTERNAL=22$' "$5/readme/build/CMakeCache.txt" || {
    echo 'another CMake built the example' >&2
    exit 1
}
