#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sampler, as compiled for a device, has no branch, no conditional instruction, no call and no
# instruction whose time depends on its operands. A comparison that stops early must be caught.
#   branch_free.sh ARCHIVE COMPILER [CPU FLAGS…]
set -euo pipefail
archive=$1 compiler=$2
shift 2
objdump=${compiler%g++}objdump
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the forbidden instructions of a function, or "missing".
forbidden() { # FILE FUNCTION
    "$objdump" -d --no-show-raw-insn -C "$1" | awk -v name="<$2" '
        /^[0-9a-f]+ </ { inside = index($2, name) == 1; found = found || inside; next }
        inside && NF > 1 && $2 ~ /^(b(eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|eqz|nez|ltu|geu|lez|gez|ltz|gtz)?(\.[nw])?|c\.b(eqz|nez)|bl|blx|cbn?z|it[te]*|tb[bh]|j|jal|udiv|sdiv|div.*|rem.*|[us]m(ull|lal))$/ { print $2 }
        END { if (!found) print "missing" }'
}
bad=$(forbidden "$archive" 'sotto::bernoulli(')
if [ -n "$bad" ]; then
    echo "$archive: sotto::bernoulli: $(tr '\n' ' ' <<<"$bad")" >&2
    exit 1
fi

cat >"$work/control.cpp" <<'SOURCE'
#include <stdint.h>
namespace sotto {
uint32_t early(const volatile uint32_t *t, const volatile uint32_t *u) {
    for (int i = 1; i >= 0; --i) {
        if (u[i] != t[i]) {
            return u[i] < t[i];
        }
    }
    return 0;
}
}
SOURCE
"$compiler" "$@" -Os -ffreestanding -fno-exceptions -fno-rtti -c "$work/control.cpp" -o "$work/control.o"
[ -n "$(forbidden "$work/control.o" 'sotto::early(')" ] || {
    echo 'the control was not caught' >&2
    exit 1
}
[ "$(forbidden "$work/control.o" 'sotto::absent(')" = missing ]
echo "$archive: sotto::bernoulli is free of branches; the control was caught"
