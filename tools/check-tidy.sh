#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over the device side, by the compile commands of a build folder.
#   check-tidy.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
find sdk/src ports \( -name '*.cpp' -o -name '*.c' \) -print | xargs -P 2 -n 4 clang-tidy-14 --quiet -p "$1"
