#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On Cortex-M0 a sealed flush leaves nothing of its keys on the stack, and an epoch that begins
# leaves nothing of a counter's noise. It holds in each build type of CMake and with a plain
# Makefile's flags. The deepest stack is at most what docs/PERFORMANCE.md says.
#   build_types.sh PROJECT MBEDTLS_DIR NANOPB_DIR FIAT_DIR WORK_FOLDER
set -euo pipefail
project=$1 mbedtls=$2 nanopb=$3 fiat=$4 work=$5
board=(timeout 120 qemu-system-arm -M microbit -nographic -monitor none -serial null
    -semihosting-config enable=on,target=native -icount shift=0)

die() {
    echo "build_types: $*" >&2
    exit 1
}
quietly() { # LOG COMMAND…
    local log=$1
    shift
    "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        die "failed: $*"
    }
}
left() { "${board[@]}" -kernel "$1" 2>&1 | sed -n 's/^deep [0-9]* differ //p'; }
leaves_nothing() { # NAME PROGRAM
    local bytes
    bytes=$(left "$2")
    [ "$bytes" = 0 ] || die "$1: '$bytes' bytes that depend on secrets are left on the stack; allowed: 0"
}
makefile() { # NAME [VARIABLE=VALUE…]
    mkdir -p "$work/$1"
    quietly "$work/$1/log" make -C "$work/$1" -s -j2 -f "$project/tests/qemu/stack_secrets.mk" \
        SOTTO_DIR="$project" MBEDTLS_DIR="$mbedtls" NANOPB_DIR="$nanopb" FIAT_DIR="$fiat" CC=arm-none-eabi-gcc \
        CXX=arm-none-eabi-g++ "${@:2}"
}

rm -rf "$work"
counting() { # NAME OPTIMIZE
    makefile "$1" REGISTRY=counter.toml OPTIMIZE="$2 -DCOUNTS"
}
for level in -Os -O3 -O0; do
    makefile "flags$level" OPTIMIZE="$level"
    counting "noise$level" "$level"
    leaves_nothing "a Makefile with $level" "$work/flags$level/stack_secrets.elf"
    leaves_nothing "a Makefile with $level, a counter" "$work/noise$level/stack_secrets.elf"
    echo "a Makefile with $level: nothing left"
done
is_caught() { # NAME
    [ "$(left "$work/$1/stack_secrets.elf")" -gt 0 ] || die "$1: 512 bytes wiped were found enough"
}
makefile control OPTIMIZE='-Os -DSOTTO_SEAL_STACK_BYTES=512'
is_caught control
counting control_noise '-Os -DSOTTO_NOISE_STACK_BYTES=512'
is_caught control_noise

for type in MinSizeRel RelWithDebInfo Release Debug; do
    quietly "$work/$type.log" cmake --preset cortex-m0 -S "$project" -B "$work/$type" \
        -DCMAKE_BUILD_TYPE=$type
    quietly "$work/$type.log" cmake --build "$work/$type" --target stack_secrets stack_noise client_cost
    leaves_nothing "$type" "$work/$type/bin/stack_secrets.elf"
    leaves_nothing "$type, a counter" "$work/$type/bin/stack_noise.elf"
    stack=$("${board[@]}" -kernel "$work/$type/bin/client_cost.elf" 2>&1 |
        awk 'NF == 5 && $1 != "request" && $3 > most { most = $3 } END { print most }')
    said=$(sed -n "s/^| $type | \([0-9]*\),\([0-9]*\) |\$/\1\2/p" "$project/docs/PERFORMANCE.md")
    [ "$stack" -le "$said" ] || die "$type: a call takes $stack bytes of stack; docs/PERFORMANCE.md says $said"
    echo "$type: nothing left, $stack bytes of stack"
done
