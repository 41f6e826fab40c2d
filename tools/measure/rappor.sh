#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions of one 128-bit RAPPOR report on this host, of eight that are flushed together, hash,
# PRF, generator, charge, the durable state and the wire format included, against google/rappor's C++ client: 183,900 for its encoder.
#   rappor.sh PROGRAM
set -euo pipefail
anchor=183900
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect=all_reports "$1" 2>"$work/log" || {
    cat "$work/log" >&2
    exit 1
}
all=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/log")
report=$((all / 8))
[ "$report" -gt 1000 ] || {
    echo "rappor: $report instructions: nothing was counted" >&2
    exit 1
}
echo "rappor: $report instructions a report, 1/$((anchor / report)) of google/rappor's $anchor"
[ $((report * 8)) -le "$anchor" ] || {
    echo "rappor: more than 1/8" >&2
    exit 1
}
