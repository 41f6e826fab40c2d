#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A function of a program has no branch but its return: its time can't depend on what it is given.
#   no_branch.sh OBJDUMP PROGRAM FUNCTION
# GCC's own __aeabi_lmul for Cortex-M0 has one, and must be caught.
set -euo pipefail
objdump=$1 program=$2 function=$3
branches() { # the function's, in a program or an archive
    "$objdump" -d --no-show-raw-insn "$1" | awk -v name="<$function>:" '
        /^$/ { inside = 0 }
        inside { count++; if ($2 ~ /^(b|bl|blx|bx|beq|bne|bcs|bcc|bmi|bpl|bvs|bvc|bhi|bls|bge|blt|bgt|ble|cbz|cbnz)(\.n|\.w)?$/ && $0 !~ /bx\tlr/) found++ }
        index($0, name) { inside = 1 }
        END { if (count < 8) { print "no such function"; exit } print found + 0 }'
}
found=$(branches "$program")
if [ "$found" != 0 ]; then
    echo "$program: $function: branches: $found" >&2
    exit 1
fi
control=$("${objdump%objdump}gcc" -mcpu=cortex-m0 -mthumb -print-libgcc-file-name)
if [ "$(branches "$control")" = 0 ]; then
    echo "$control: $function has no branch: the guard sees nothing, or is no longer needed" >&2
    exit 1
fi
echo "$function: no branch, $(branches "$control") in GCC's own"
