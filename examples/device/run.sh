#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One power-on of the device on an emulated board, to its power-off:
#   run.sh BOARD DEVICE.elf STATE EPOCH COMMAND [ARGUMENT…]
# main.c says what commands there are. Files are relative to the present folder. A board without a
# random generator gets fresh random bytes of the host, or those of the file that SOTTO_ENTROPY
# names. The exit code is the device's.
set -euo pipefail
if [ $# -lt 5 ]; then
    echo 'usage: run.sh BOARD DEVICE.elf STATE EPOCH COMMAND [ARGUMENT…]' >&2
    exit 2
fi
board=$1 device=$2 state=$3 epoch=$4
shift 4
entropy=${SOTTO_ENTROPY:-}
if [ -z "$entropy" ]; then
    # Used once: the same bytes again would be the same noise again.
    entropy=$(mktemp entropy.XXXXXX)
    trap 'rm -f "$entropy"' EXIT
    head -c 4096 /dev/urandom >"$entropy"
fi
"$(dirname "$0")/../firmware/emulate.sh" "$board" "$device" "$state" "$entropy" "$epoch" "$@"
