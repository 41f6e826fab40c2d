#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves that an archive is freestanding: only allowed undefined symbols, nothing that runs before
# main, and it links with -nostdlib against libgcc alone.
#   check.sh ARCHIVE COMPILER [CPU FLAGS…]
set -euo pipefail
archive=$1 compiler=$2
shift 2
prefix=${compiler%g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$archive: $*" >&2
    exit 1
}

# Memory functions only. libgcc's integer helpers join when something needs one that was looked at:
# on Cortex-M0 __clzsi2 indexes a table, on RV32 __mulsi3 branches on bits.
allowed='memcpy|memmove|memset|__aeabi_mem(cpy|move|set|clr)[48]?'
# Symbols that the archive defines itself are not wanted from outside.
defined=$("${prefix}nm" --defined-only "$archive" | awk 'NF == 3 { print $3 }' | sort -u)
undefined=$("${prefix}nm" -u "$archive" | awk '$1 ~ /^[Uwv]$/ { print $2 }' | sort -u)
outside=$(comm -23 <(printf '%s\n' "$undefined") <(printf '%s\n' "$defined") | grep -vxE "$allowed" || true)
[ -z "$outside" ] || fail "needs from outside:" $outside

early=$("${prefix}objdump" -h "$archive" | grep -oE '\.(init_array|preinit_array|ctors|tbss|tdata)[^ ]*' || true)
[ -z "$early" ] || fail "wants to run before main:" $early
mutable=$("${prefix}nm" "$archive" | awk '$2 ~ /^[BbCDdGgSs]$/ { print $3 }')
[ -z "$mutable" ] || fail "has mutable globals:" $mutable

cat >"$work/start.c" <<'SOURCE'
void start(void) {}
void *memcpy(void *to, const void *from, unsigned length) { return (void)from, (void)length, to; }
void *memmove(void *to, const void *from, unsigned length) { return (void)from, (void)length, to; }
void *memset(void *to, int byte, unsigned length) { return (void)byte, (void)length, to; }
SOURCE
"${prefix}gcc" "$@" -ffreestanding -c "$work/start.c" -o "$work/start.o"
"${prefix}gcc" "$@" -nostdlib -nostartfiles -Wl,-e,start -Wl,--whole-archive "$archive" \
    -Wl,--no-whole-archive "$work/start.o" -lgcc -o "$work/program" 2>"$work/log" ||
    fail "does not link with -nostdlib: $(head -n 1 "$work/log")"
[ -n "$defined" ] || fail "is empty"
echo "$archive: freestanding, $(printf '%s\n' "$defined" | wc -l) symbols"
