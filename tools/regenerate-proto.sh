#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes sdk/proto/report.pb.{h,c} from report.proto with the pinned nanopb generator.
# With --check it changes nothing and says whether the committed files are current.
set -euo pipefail
cd "$(dirname "$0")/.."
nanopb=$(tools/setup.sh --source nanopb)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Debian's protobuf module belongs to Debian's Python, whatever python3 comes first in PATH.
PATH=/usr/bin:$PATH PYTHONDONTWRITEBYTECODE=1 NANOPB_PB2_TEMP_DIR="$out" \
    /usr/bin/python3 "$nanopb/generator/nanopb_generator.py" --quiet -I sdk/proto -D "$out" report.proto
case "${1:-}" in
--check)
    for file in report.pb.h report.pb.c; do
        cmp -s "$out/$file" "sdk/proto/$file" || {
            echo "sdk/proto/$file is not what report.proto makes: run tools/regenerate-proto.sh" >&2
            exit 1
        }
    done
    ;;
'') cp "$out"/report.pb.h "$out"/report.pb.c sdk/proto/ ;;
*)
    echo "usage: tools/regenerate-proto.sh [--check]" >&2
    exit 2
    ;;
esac
