#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A firmware with newlib, newlib-nano or picolibc, with and without link-time optimisation, seals a
# report on emulated boards. Sotto's own objects stay out of that optimisation: frames that are wiped
# and functions in place of the compiler's are as they were measured.
#   boards.sh PROJECT MBEDTLS_DIR NANOPB_DIR FIAT_DIR WORK_FOLDER
set -euo pipefail
project=$1 mbedtls=$2 nanopb=$3 fiat=$4 work=$5 rows=0
die() {
    echo "boards: $*" >&2
    exit 1
}
has_lto() { LC_ALL=C grep -q '\.gnu\.lto_' "$1"; } # OBJECT
board() { # NAME TOOLS CPU START LIBRARIES FLASH FLASH_LENGTH RAM RAM_LENGTH
    local folder=$work/$1 library said
    if ! command -v "$2-gcc" "qemu-system-$([ "$1" = riscv32-virt ] && echo riscv32 || echo arm)" >/dev/null; then
        echo "$1: skipped, $2-gcc or its QEMU is missing; tools/setup.sh arm riscv installs them"
        return
    fi
    mkdir -p "$folder"
    local make=(make -C "$folder" -s -j2 -f "$project/tests/consume/languages/board.mk" SOTTO_DIR="$project"
        MBEDTLS_DIR="$mbedtls" NANOPB_DIR="$nanopb" FIAT_DIR="$fiat" CC="$2-gcc" CXX="$2-g++" CPU="$3"
        START="$4" LIBRARIES="$5" LAYOUT="flash_origin=$6 flash_length=$7 ram_origin=$8 ram_length=$9")
    "${make[@]}" >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        die "$1 does not build"
    }
    for library in $5; do
        for program in "$library" "$library-lto"; do
            said=$("$project/examples/firmware/emulate.sh" "$1" "$folder/$program.elf" 2>&1) || true
            [ "$said" = 'done, 97 bytes' ] || die "$1 with $program says: $said"
            echo "$1, $program: $said"
            rows=$((rows + 1))
        done
        ! has_lto "$folder/$library.o" && has_lto "$folder/$library-lto.o" || die "-flto is not looked at"
    done
    for object in "$folder"/*.c.o "$folder"/*.cpp.o; do
        ! has_lto "$object" || die "$1: ${object##*/} is optimised with the firmware"
    done
    rm "$folder/wipe_stack.cpp.o"
    "${make[@]}" SOTTO_FLAGS= wipe_stack.cpp.o >"$folder/log" 2>&1
    has_lto "$folder/wipe_stack.cpp.o" || die "$1: without its flags Sotto stays out of the optimisation, too"
}

rm -rf "$work"
board microbit arm-none-eabi '-mcpu=cortex-m0 -mthumb' start_cortex_m.c nano 0 256K 0x20000000 16K
board mps2-an385 arm-none-eabi '-mcpu=cortex-m3 -mthumb' start_cortex_m.c 'newlib nano' 0 4M 0x20000000 4M
board riscv32-virt riscv64-unknown-elf '-march=rv32imac -mabi=ilp32 -mcmodel=medany' start_riscv.S picolibc \
    0x80000000 4M 0x80400000 4M
if [ "$rows" = 0 ]; then
    exit 77
fi
