#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The ported board prints what docs/PORTING.md shows: porting.sh ROOT BOARD PORTING.elf
set -euo pipefail
root=$1 board=$2 program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sed -n '/^1: done$/,/^```$/p' "$root/docs/PORTING.md" | sed '$d' >shown
[ "$(wc -l <shown)" -eq 8 ] || { echo "docs/PORTING.md: no longer shows eight lines" >&2; exit 1; }
"$root/examples/firmware/emulate.sh" "$board" "$program" reports.bin 4 >printed 2>&1
diff shown printed
[ -s reports.bin ]
