#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fifty airports count the strikes of birds on their aircraft, a day an epoch, over twelve years:
# windows of a year beside the truth.
#   run.sh SOTTO OUT [SEED]     with a seed, in hex, the noise can be predicted: for tests
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../begin.sh" airports "$@"
data=$root/examples/data/birdstrikes.csv
"$root/tools/sotto-registry" compile "$here/metrics.toml" --out registry >/dev/null
"$sotto" simulate --registry registry/metrics.json --input "$data" --device airport \
    --epoch-column date --map strikes "${seed[@]}" --out reports.bin
"$sotto" ingest --registry registry/metrics.json --store store reports.bin
"$sotto" estimate --registry registry/metrics.json --store store --window 365 --format json \
    --out estimate.json
"$here/compare.py" "$data" estimate.json
