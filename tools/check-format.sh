#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C and C++ file as .clang-format says, and an SPDX line in every source. --fix mends the first.
set -euo pipefail
cd "$(dirname "$0")/.."
mine() { find . \( -path ./build -o -path ./.git \) -prune -o -type f -print | sort; }
mapfile -t files < <(mine | grep -E '\.(c|h|cpp|hpp)$' | grep -v '\.pb\.[ch]$')
if [ "${1:-}" = --fix ]; then
    clang-format-14 -i "${files[@]}"
    exit
fi
[ ${#files[@]} -gt 40 ] || { echo "check-format.sh: found only ${#files[@]} files" >&2; exit 1; }
mapfile -t unmarked < <(mine | grep -E '(\.(c|h|cpp|hpp|py|sh|cmake|proto|ld|S)|CMakeLists\.txt)$' |
    grep -v '\.pb\.[ch]$' | xargs grep -L 'SPDX-License-Identifier: Apache-2.0' || true)
if [ ${#unmarked[@]} -gt 0 ]; then
    printf 'no SPDX line: %s\n' "${unmarked[@]}" >&2
    exit 1
fi
command -v clang-format-14 >/dev/null || {
    echo 'skipped: clang-format-14 is missing'
    exit 77
}
clang-format-14 --dry-run --Werror "${files[@]}"
