#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The freestanding check must catch each of these.
#   controls.sh COMPILER [CPU FLAGS…]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
compiler=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
caught=0
control() { # NAME EXPECTED SOURCE
    printf '%s\n' "$3" >"$work/$1.cpp"
    "$compiler" "${flags[@]}" -ffreestanding -Os -std=c++20 -fno-exceptions -fno-rtti \
        -fno-threadsafe-statics -c "$work/$1.cpp" -o "$work/$1.o"
    "${compiler%g++}ar" rcs "$work/$1.a" "$work/$1.o"
    if message=$("$here/check.sh" "$work/$1.a" "$compiler" "${flags[@]}" 2>&1); then
        echo "control $1 was not caught" >&2
        exit 1
    elif [[ $message != *$2* ]]; then
        echo "control $1 was caught for another reason: $message" >&2
        exit 1
    fi
    caught=$((caught + 1))
}
flags=("$@")
control double 'needs from outside' 'double half(double x) { return x / 2.0; }'
control heap 'needs from outside' 'int *make(int x) { return new int(x); }'
control divide 'needs from outside' 'unsigned long long f(unsigned long long a, unsigned long long b) { return a / b; }'
control early_stop 'needs from outside' 'extern "C" int memcmp(const void *, const void *, unsigned); int f(const void *a, const void *b) { return memcmp(a, b, 9); }'
control before_main 'before main' 'extern "C" void *memset(void *, int, unsigned); struct s { int v; s() { memset(this, 1, 4); } }; s global;'
control global 'mutable globals' 'int counter = 1; int next() { return counter++; }'
control own_memset 'does not link' 'extern "C" void *memset(void *to, int, unsigned) { return to; }'
echo "$caught controls caught"
