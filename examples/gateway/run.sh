#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the days of a file of points on an emulated board:
#   run.sh BOARD GATEWAY.elf REPORTS POINTS [ENTROPY]
# The board gets a fresh file of the host's random bytes unless ENTROPY names one. Files are relative
# to the present folder. The exit code is the firmware's.
set -euo pipefail
if [ $# -lt 4 ]; then
    echo 'usage: run.sh BOARD GATEWAY.elf REPORTS POINTS [ENTROPY]' >&2
    exit 2
fi
board=$1 gateway=$2 reports=$3 points=$4 entropy=${5:-}
if [ -z "$entropy" ]; then
    # Used once: the same bytes again would be the same noise again.
    entropy=$(mktemp entropy.XXXXXX)
    trap 'rm -f "$entropy"' EXIT
    head -c "$((256 * $(wc -l <"$points") + 4096))" /dev/urandom >"$entropy"
fi
"$(dirname "$0")/../firmware/emulate.sh" "$board" "$gateway" "$reports" "$points" "$entropy"
