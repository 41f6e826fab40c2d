#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Long work shows progress on a terminal and leaves nothing of it behind; elsewhere it is silent.
#   progress.sh SOTTO ROOT WORK_FOLDER
set -euo pipefail
sotto=$1 root=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
fail() {
    echo "progress: $*" >&2
    exit 1
}
"$root/tools/sotto-registry" compile "$root/examples/metrics.toml" --out registry >/dev/null
{ echo damage; seq 200000 | sed s/.*/true/; } >rows.csv
simulate="$sotto simulate --registry registry/metrics.json --input rows.csv --map damage=damage --out reports.bin"
ingest="$sotto ingest --registry registry/metrics.json --store store$(printf ' reports.bin%.0s' $(seq 20))"
on_terminal() { script -qec "$1" /dev/null </dev/null | tr -d '\r\n'; }
# The screen in the end: a line that was erased is gone.
erase=$'\033[K'
seen=$(on_terminal "$simulate")
grep -qE '[0-9,]+ devices, [0-9,]+/s, [0-9.]+ s left' <<<"$seen" || fail "simulate shows none: $seen"
[[ ${seen##*"$erase"} == '200,000 devices, 200,000 reports'* ]] || fail "simulate leaves: ${seen##*"$erase"}"
seen=$(on_terminal "$ingest")
grep -qE '[0-9,]+ envelopes, [0-9,]+/s' <<<"$seen" || fail "ingest shows none: $seen"
[[ ${seen##*"$erase"} == '200,000 reports from 4,000,000 envelopes'* ]] || fail "ingest leaves: ${seen##*"$erase"}"
$simulate >out 2>err
[ ! -s err ] || fail "simulate is not silent off a terminal: $(cat err)"
echo 'progress: shown, and gone in the end'
