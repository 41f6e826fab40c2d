#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the firmware on an emulated board:
#   run.sh BOARD FIRMWARE.elf REPORTS VALUES EPOCH [ENTROPY]
# A board without a random generator gets a fresh file of the host's random bytes unless ENTROPY
# names one. Files are relative to the present folder. The exit code is the firmware's.
set -euo pipefail
if [ $# -lt 5 ]; then
    echo 'usage: run.sh BOARD FIRMWARE.elf REPORTS VALUES EPOCH [ENTROPY]' >&2
    exit 2
fi
board=$1 firmware=$2 reports=$3 values=$4 epoch=$5 entropy=${6:-}
if [ "$board" != microbit ] && [ -z "$entropy" ]; then
    # Used once: the same bytes again would be the same noise again.
    entropy=$(mktemp entropy.XXXXXX)
    trap 'rm -f "$entropy"' EXIT
    head -c "$((512 * $(tr -cd 01 <"$values" | wc -c) + 512))" /dev/urandom >"$entropy"
fi
"$(dirname "$0")/emulate.sh" "$board" "$firmware" "$reports" "$values" "$epoch" ${entropy:+"$entropy"}
