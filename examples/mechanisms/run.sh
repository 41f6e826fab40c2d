#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every mechanism on columns of the bird-strike data, relaxed through a ladder of three levels:
# estimates beside the truth at each level.
#   run.sh SOTTO OUT [SEED]     with a seed, in hex, the noise can be predicted: for tests
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../begin.sh" mechanisms "$@"
"$here/columns.py" "$root/examples/data/birdstrikes.csv" rows.csv
"$root/tools/sotto-registry" compile "$here/metrics.toml" --out registry >/dev/null
registry=registry/metrics.json
map=damage=damage,damage_by_laplace=damage,phase=phase,phase_by_optimized_unary=phase
map+=,time_of_day=time_of_day,time_of_day_by_rappor=time_of_day,circumstances=circumstances
map+=,aircraft=aircraft,speed_knots=speed_knots,mean_speed_knots=speed_knots,speeds=speeds
"$sotto" simulate --registry "$registry" --input rows.csv --map "$map" --false damage=None \
    --false damage_by_laplace=None --levels 2 "${seed[@]}" --out reports.bin
"$sotto" ingest --registry "$registry" --store store reports.bin
cut -d, -f2 rows.csv | tail -n +2 | sort -u >candidates.txt
for level in 0 1 2; do
    "$sotto" estimate --registry "$registry" --store store --candidates candidates.txt \
        --level "$level" --format json --out "level$level.json"
done
"$sotto" epsilon --registry "$registry" --format json >epsilon.json
"$here/compare.py" .
