#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints a code block of a page, word for word. A page without that block is an error.
#   page.sh PAGE KIND [NUMBER]       the kind stands behind the fence; the first block has number 1
set -euo pipefail
awk -v fence="\`\`\`$2" -v number="${3:-1}" '
    /^```/ { open = !open; inside = open && $0 == fence && ++n == number; next }
    inside { print; lines++ }
    END { exit !lines }' "$1" || {
    echo "$1: no code block $2, number ${3:-1}" >&2
    exit 1
}
