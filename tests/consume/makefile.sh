#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs a project that has a plain Makefile. sdk/sources.{mk,txt} are what CMake makes.
#   makefile.sh PROJECT MADE_BY_CMAKE C_COMPILER CXX_COMPILER MBEDTLS_DIR NANOPB_DIR FIAT_DIR \
#     WORK_FOLDER
set -euo pipefail
project=$1 made=$2 work=$8
for name in sources.mk sources.txt; do
    cmp "$project/sdk/$name" "$made/$name" || {
        echo "sdk/$name is not current; run: cmake --build BUILD_FOLDER --target device_sources" >&2
        exit 1
    }
done
rm -rf "$work"
mkdir -p "$work/c99_state"
cp "$project/tests/consume/makefile/Makefile" "$work/"
cp "$project/tests/consume/c99.c" "$work/main.c"
cp "$project/tests/metrics.toml" "$work/"
cd "$work"
make -j2 SOTTO_DIR="$project" MBEDTLS_DIR="$5" NANOPB_DIR="$6" FIAT_DIR="$7" CC="$3" CXX="$4" >log 2>&1 || {
    cat log
    exit 1
}
build/program >said
grep -q '^done, 42 bytes$' said || {
    cat said
    exit 1
}
