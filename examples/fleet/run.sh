#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The fleet end to end. Every row of the data is an aircraft, simulated on the host. Each emulated
# board stands for 100 more, whose true answers are those of the next 100 rows.
#   run.sh SOTTO OUT BOARD:FIRMWARE.elf…
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
sotto=$(realpath "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
boards=()
for pair in "$@"; do
    boards+=("${pair%%:*}:$(realpath "${pair#*:}")")
done
data=$root/examples/data/birdstrikes.csv
per_board=100
say() { printf '\n%s\n' "== $*" >&2; }

if [ ! -e "$out/.fleet" ] && [ -n "$(ls -A "$out")" ]; then
    echo "run.sh: $out has files of something else; give an empty folder" >&2
    exit 2
fi
rm -rf "$out"
mkdir -p "$out"
cd "$out"
touch .fleet
"$root/tools/sotto-registry" compile "$root/examples/metrics.toml" --out registry
registry=registry/metrics.json

say 'Simulated fleet: every row of the data runs the SDK'
"$sotto" simulate --registry "$registry" --input "$data" --map damage=damage --false damage=None --out fleet.bin
files=(fleet.bin)
first=1
for pair in "${boards[@]}"; do
    board=${pair%%:*}
    say "Firmware on emulated $board: $per_board aircraft"
    "$here/truth.py" "$data" "$first" "$per_board" >"$board.values"
    "$root/examples/firmware/run.sh" "$board" "${pair#*:}" "$board.bin" "$board.values" 0
    files+=("$board.bin")
    first=$((first + per_board))
done

say 'Aggregator'
"$sotto" ingest --registry "$registry" --store store "${files[@]}"
"$sotto" estimate --registry "$registry" --store store
"$sotto" estimate --registry "$registry" --store store --format json --out estimate.json

say 'Twenty more simulated fleets: how often does the 95 % interval hold the truth?'
mkdir -p again
for i in $(seq 20); do
    "$sotto" simulate --registry "$registry" --input "$data" --map damage=damage --false damage=None \
        --out "again/$i.bin" 2>/dev/null >&2
    "$sotto" ingest --registry "$registry" --store "again/$i" "again/$i.bin" >/dev/null 2>&1
    "$sotto" estimate --registry "$registry" --store "again/$i" --format json --out "again/$i.json"
done

say 'Estimate beside the truth'
"$here/compare.py" "$data" "$out" "${boards[@]%%:*}"
