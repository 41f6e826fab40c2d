#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the doors of a file of years on an emulated board:
#   run.sh BOARD COUNTER.elf REPORTS YEARS [ENTROPY]
# A board without a random generator gets a fresh file of the host's random bytes unless ENTROPY
# names one. Files are relative to the present folder. The exit code is the firmware's.
set -euo pipefail
if [ $# -lt 4 ]; then
    echo 'usage: run.sh BOARD COUNTER.elf REPORTS YEARS [ENTROPY]' >&2
    exit 2
fi
board=$1 counter=$2 reports=$3 years=$4 entropy=${5:-}
if [ "$board" != microbit ] && [ -z "$entropy" ]; then
    # Used once: the same bytes again would be the same noise again.
    entropy=$(mktemp entropy.XXXXXX)
    trap 'rm -f "$entropy"' EXIT
    head -c "$((256 * $(wc -c <"$years") + 4096))" /dev/urandom >"$entropy"
fi
"$(dirname "$0")/../firmware/emulate.sh" "$board" "$counter" "$reports" "$years" ${entropy:+"$entropy"}
