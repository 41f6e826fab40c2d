#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sources of the device have base names of their own: some tool chains put all objects into one
# folder. Names of Mbed TLS and nanopb count too, in any case of letters.
#   base_names.sh PROJECT MBEDTLS_DIR NANOPB_DIR
set -euo pipefail
project=$1 others=("$2/library" "$2/3rdparty" "$3")

sources() { # each once, with a fault if there is one
    sed -nE 's/^(CORE|SDK)_SOURCES[A-Z_]* SOTTO_DIR\///p' "$project/sdk/sources.txt" | sort -u
    (cd "$project" && find ports sdk/proto -name '*.c')
    printf '%s' "$@"
}
base_names() { sed -E 's/.*\///; s/\.[^.]*$//' | tr '[:upper:]' '[:lower:]' | sort; }
others() { find "${others[@]}" -name '*.c' | base_names | uniq; }
clashes() { { sources "$@" | base_names; others; } | sort | uniq -d; }

[ "$(sources | wc -l)" -gt 60 ] && [ "$(others | wc -l)" -gt 100 ] || {
    echo 'base_names.sh: found too few sources' >&2
    exit 1
}
found=$(clashes)
[ -z "$found" ] || {
    echo "two sources have the base name: $found" >&2
    exit 1
}
for planted in sdk/src/report/account.cpp sdk/src/crypto/HKDF.cpp sdk/src/report/pb_encode.cpp; do
    [ -n "$(clashes "$planted")" ] || {
        echo "base_names.sh does not see $planted" >&2
        exit 1
    }
done
