#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#   zephyr_refuses.sh C_COMPILER PROJECT
set -euo pipefail
compile() {
    "$1" -std=c99 -fsyntax-only -I"$2/sdk/include" -I"$2/tests/ports/fake" "${@:3}" "$2/ports/zephyr/sotto_zephyr.c" 2>&1
}
compile "$@" -DCONFIG_CSPRNG_ENABLED=1
for generator in TEST_RANDOM_GENERATOR TEST_CSPRNG_GENERATOR FAKE_ENTROPY_NATIVE_SIM; do
    if log=$(compile "$@" "-DCONFIG_$generator=1"); then
        echo "CONFIG_$generator compiles" >&2
        exit 1
    fi
    grep -q '#error' <<<"$log"
done
