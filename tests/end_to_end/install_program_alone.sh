#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A build of the target sotto alone can be installed: all that is installed is made on the way.
#   install_program_alone.sh BUILD NINJA
set -euo pipefail
build=$1 ninja=$2
mapfile -t installed < <(grep -oE "\"$build/[^\"]*[^/\"]\"" "$build/aggregator/cmake_install.cmake" |
    tr -d '"' | grep -v '\.cmake$' | sort -u)
[ "${#installed[@]}" -ge 4 ] || { echo "found only ${#installed[@]} installed files" >&2; exit 1; }
made=$("$ninja" -C "$build" -t commands sotto)
# made FILE: is the command that makes it, the last of its own, among those of the target sotto?
is_made() { grep -qxF -- "$("$ninja" -C "$build" -t commands "${1#"$build"/}" | tail -n 1)" <<<"$made"; }
for file in "${installed[@]}"; do
    is_made "$file" || { echo "$file is installed, but not made with the target sotto" >&2; exit 1; }
done
if is_made "$build/bin/sotto-bench"; then
    echo 'the control, which is no part of it, passes' >&2
    exit 1
fi
