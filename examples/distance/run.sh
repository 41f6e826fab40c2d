#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Release by distance: one value for many recipients, each at its own epsilon (Koufogiannis, Han,
# Pappas 2015, section 4.2). 20,000 people tell where they are to strangers, friends and family.
#   run.sh SOTTO OUT [SEED]     with a seed, in hex, the noise can be predicted: for tests
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../begin.sh" distance "$@"
"$root/tools/sotto-registry" compile "$here/metrics.toml" --out registry >/dev/null
{ echo position; seq 20000 | sed s/.*/50/; } >rows.csv
map=position=position,position_for_strangers=position,position_for_friends=position
map+=,position_for_family=position
"$sotto" simulate --registry registry/metrics.json --input rows.csv --map "$map" --levels 2 \
    "${seed[@]}" --out reports.bin
"$sotto" inspect --registry registry/metrics.json reports.bin >reports.jsonl
"$here/compare.py" reports.jsonl
