#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program with semihosting on an emulated board, and exits as it does:
#   emulate.sh BOARD PROGRAM.elf [ARGUMENT…]
# SOTTO_SEED=N makes the emulator's own random numbers those of N: for tests.
set -euo pipefail
board=$1 program=$2
shift 2
case $board in
# Time by instructions: else the emulated RNG's pace, and so its time-out, would be the host's load.
microbit) machine=(qemu-system-arm -M microbit -icount shift=10) ;;
mps2-an385 | mps2-an386 | mps2-an505) machine=(qemu-system-arm -M "$board") ;;
riscv32-virt) machine=(qemu-system-riscv32 -M virt -bios none) ;;
*)
    echo "emulate.sh: unknown board $board; allowed: microbit mps2-an385 mps2-an386 mps2-an505 riscv32-virt" >&2
    exit 2
    ;;
esac
arguments=arg=program
for word in "$@"; do
    case $word in
    *[\ ,]* | '')
        echo 'emulate.sh: no blanks or commas in arguments: the emulated command line has no quotes' >&2
        exit 2
        ;;
    esac
    arguments+=,arg=$word
done
exec timeout 1200 "${machine[@]}" ${SOTTO_SEED:+-seed "$SOTTO_SEED"} -nographic -monitor none -serial null \
    -semihosting-config "enable=on,target=native,$arguments" -kernel "$program" </dev/null
