#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The aggregator reads what devices send, of every mechanism and level, and rejects nothing.
#   read_vectors.sh SOTTO REPORTS.txt METRICS.json WORK_FOLDER
set -euo pipefail
sotto=$1 reports=$2 registry=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
cut -d' ' -f3- "$reports" | tr -d ' \n' | python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >"$work/reports.bin"
"$sotto" ingest --strict --registry "$registry" --store "$work/store" "$work/reports.bin"
wanted=$(cut -d' ' -f3- "$reports" | wc -w)
lines=$("$sotto" inspect --registry "$registry" "$work/reports.bin" | wc -l)
[ "$lines" -eq "$wanted" ] || {
    echo "read_vectors: $lines reports of $wanted" >&2
    exit 1
}
