#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every Python file by ruff.toml. --fix mends what has one mend.
set -euo pipefail
cd "$(dirname "$0")/.."
ruff=$(tools/setup.sh --tool ruff) || {
    echo 'skipped: ruff is missing'
    exit 77
}
[ "$("$ruff" check --show-files | wc -l)" -gt 40 ] || { echo 'check-python.sh: found too few files' >&2; exit 1; }
if echo 'import os' | "$ruff" check --no-cache --quiet - >/dev/null; then
    echo 'check-python.sh: ruff does not see a planted fault' >&2
    exit 1
fi
"$ruff" check --no-cache --quiet --output-format concise "$@"
