#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A gateway counts the strikes of birds by place, over twelve years: squares, boxes and ranges of
# longitudes beside the truth.
#   run.sh SOTTO OUT [SEED]     with a seed, in hex, the noise can be predicted: for tests
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../begin.sh" places "$@"
data=("$root/examples/data/birdstrikes.csv" "$root/examples/data/strike_airports.csv")
"$here/points.py" "${data[@]}" >years.csv
"$root/tools/sotto-registry" compile "$here/metrics.toml" --out registry >/dev/null
"$sotto" simulate --registry registry/metrics.json --input years.csv --device gateway \
    --epoch-column year --map squares=squares,longitudes=longitudes "${seed[@]}" --out reports.bin
"$sotto" ingest --registry registry/metrics.json --store store reports.bin
ask() {
    "$sotto" estimate --registry registry/metrics.json --store store --metric "$1" --format json \
        --out "$2" "${@:3}"
}
ask squares squares.json
ask squares boxes.json --box 36:59,24:47 --box 24:35,0:23
ask longitudes longitudes.json
ask longitudes ranges.json --range 20:35 --range 36:59 --range 0:19
"$here/compare.py" "${data[@]}" squares.json boxes.json longitudes.json ranges.json
