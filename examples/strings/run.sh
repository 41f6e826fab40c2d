#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The aircraft of the bird-strike data, device by device. They are counted among candidates of which
# a third do not exist, found without any, and held against the phase of flight.
#   run.sh SOTTO OUT [SEED]     with a seed, in hex, the noise can be predicted: for tests
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
sotto=$(realpath "$1")
out=$2
seed=(${3:+--seed "$3"})
if [ -e "$out" ] && [ ! -e "$out/.strings" ]; then
    echo "run.sh: $out is something else; give a folder that does not exist" >&2
    exit 2
fi
rm -rf "$out"
mkdir -p "$out"
cd "$out"
touch .strings
"$here/compare.py" prepare "$root/examples/data/birdstrikes.csv" .
"$root/tools/sotto-registry" compile "$here/metrics.toml" --out registry >/dev/null
registry=registry/metrics.json
map=aircraft=aircraft,phase=phase,aircraft_2=aircraft_2,aircraft_4=aircraft_4
map+=,aircraft_5=aircraft_5,aircraft_7=aircraft_7,aircraft_9=aircraft_9
"$sotto" simulate --registry "$registry" --input rows.csv --map "$map" "${seed[@]}" --out reports.bin
"$sotto" ingest --registry "$registry" --store store reports.bin
"$sotto" estimate --registry "$registry" --store store --metric aircraft \
    --candidates candidates.txt --format json --out aircraft.json
"$sotto" estimate --registry "$registry" --store store \
    --discover aircraft_2,aircraft_4,aircraft_5,aircraft_7,aircraft_9 \
    --alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/ " --format json --out discovered.json
"$sotto" joint --registry "$registry" --metrics aircraft,phase --candidates aircraft=frequent.txt \
    --format json --out joint.json reports.bin
"$here/compare.py" compare "$root/examples/data/birdstrikes.csv" .
