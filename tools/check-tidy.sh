#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy by the compile commands of a build folder: over the device side, or over what is named.
# tools/tidy-aggregator.py goes over the aggregator.
#   check-tidy.sh BUILD_FOLDER [FILE-OR-FOLDER…]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
[ $# -gt 0 ] || set -- sdk/src ports
find "$@" \( -name '*.cpp' -o -name '*.c' \) -print | xargs -P 2 -n 4 clang-tidy-14 --quiet -p "$build"
