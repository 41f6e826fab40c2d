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
case $board in
# Time by instructions: else the emulated RNG's pace, and so its time-out, would be the host's load.
microbit) machine=(qemu-system-arm -M microbit -icount shift=10) ;;
mps2-an385 | mps2-an386 | mps2-an505) machine=(qemu-system-arm -M "$board") ;;
riscv32-virt) machine=(qemu-system-riscv32 -M virt -bios none) ;;
*)
    echo "run.sh: unknown board $board; allowed: microbit mps2-an385 mps2-an386 mps2-an505 riscv32-virt" >&2
    exit 2
    ;;
esac
if [ "$board" != microbit ] && [ -z "$entropy" ]; then
    # Used once: the same bytes again would be the same noise again.
    entropy=$(mktemp entropy.XXXXXX)
    trap 'rm -f "$entropy"' EXIT
    head -c "$((128 * $(tr -cd 01 <"$values" | wc -c) + 128))" /dev/urandom >"$entropy"
fi
case "$reports$values$epoch$entropy" in
*[\ ,]*)
    echo 'run.sh: no blanks or commas in file names: the emulated command line has no quotes' >&2
    exit 2
    ;;
esac
arguments=arg=firmware
for word in "$reports" "$values" "$epoch" ${entropy:+"$entropy"}; do
    arguments+=,arg=$word
done
timeout 120 "${machine[@]}" -nographic -monitor none -serial null \
    -semihosting-config "enable=on,target=native,$arguments" -kernel "$firmware" </dev/null
