#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A check whose tool is missing says so and is skipped: it neither passes nor fails.
#   missing_tools.sh PROJECT
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for program in bash cut cat dirname env find grep mktemp rm sed sha256sum sort wc xargs; do
    ln -s "$(command -v "$program")" "$work/bin/"
done
expect_skipped() { # MISSING CHECK
    local code=0
    PATH=$work/bin SOTTO_CACHE=$work/none "$1/tools/$3" >"$work/out" 2>/dev/null || code=$?
    [ "$code" = 77 ] && [ "$(cat "$work/out")" = "skipped: $2 is missing" ] || {
        echo "$3 without $2: exit $code, not 77: $(cat "$work/out")" >&2
        exit 1
    }
}
expect_skipped "$1" clang-format-14 check-format.sh
expect_skipped "$1" ruff check-python.sh
