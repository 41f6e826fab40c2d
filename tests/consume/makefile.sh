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
# The page's own words: folders under third_party, the list, the command.
block() { "$project/tests/consume/page.sh" "$project/docs/routes/makefile.md" "$1"; }
mkdir "$work/third_party"
ln -s "$project" "$work/third_party/sotto"
ln -s "$5" "$work/third_party/mbedtls"
ln -s "$6" "$work/third_party/nanopb"
ln -s "$7" "$work/third_party/fiat"
block make >"$work/Makefile"
sed '1,/^include/d' "$project/tests/consume/makefile/Makefile" >>"$work/Makefile"
cp "$project/tests/consume/c99.c" "$work/main.c"
cp "$project/tests/metrics.toml" "$work/"
cd "$work"
block sh >compile.sh
sh -e compile.sh >log 2>&1 || {
    cat log
    exit 1
}
make -j2 CC="$3" CXX="$4" >log 2>&1 || {
    cat log
    exit 1
}
build/program >said
grep -q '^done, 42 bytes$' said || {
    cat said
    exit 1
}
# A wrong line of the page.
sed -i 's/^NANOPB_DIR/PB_DIR/' Makefile
rm build/pb_*.o
! make -n CC="$3" CXX="$4" >log 2>&1 || {
    echo 'makefile: a wrong page is followed' >&2
    exit 1
}
