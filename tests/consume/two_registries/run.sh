#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two registries in one program keep apart what they store, measure and send.
#   run.sh PROGRAM SOTTO LOCK.json LAMP.json WORK_FOLDER
set -euo pipefail
program=$1 sotto=$2 lock=$3 lamp=$4 work=$5
rm -rf "$work"
mkdir -p "$work/lock_state" "$work/lamp_state"
cd "$work"
first=$("$program")
[ "$first" = $'lock: done\nlamp: done' ] || { echo "first run: $first" >&2; exit 1; }
again=$("$program")
measured='the metric was measured in this epoch already'
[ "$again" = $"lock: $measured"$'\n'"lamp: $measured" ] || { echo "second run: $again" >&2; exit 1; }
"$sotto" inspect --registry "$lock" lock.bin | grep '"value":\(true\|false\)'
"$sotto" inspect --registry "$lamp" lamp.bin | grep '"value":[0-3]'
# Neither registry reads the other's reports.
! "$sotto" inspect --registry "$lamp" lock.bin 2>refused || { echo "lamp reads lock.bin" >&2; exit 1; }
grep -q 'unknown registry' refused
