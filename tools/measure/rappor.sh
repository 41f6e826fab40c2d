#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions of one RAPPOR report on this host: one an epoch, and eight that are flushed together.
# Hash, PRF, generator, charge, durable state and wire format are included, a new epoch's fresh seed
# is not. Compared with google/rappor's C++ client: 183,900 for its encoder at 128 bits, 24,100 at
# 32.
#   rappor.sh PROGRAM ANCHOR AT-MOST
set -euo pipefail
program=$1 anchor=$2 most=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect='counted_*' "$program" 2>"$work/log" || {
    cat "$work/log" >&2
    exit 1
}
all=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/log")
report=$((all / 8))
[ "$report" -gt 1000 ] || {
    echo "rappor: $report instructions: nothing was counted" >&2
    exit 1
}
echo "rappor: $report instructions a report, $((100 * report / anchor)) in a hundred of google/rappor's $anchor"
[ "$report" -le "$most" ] || {
    echo "rappor: more than $most" >&2
    exit 1
}
