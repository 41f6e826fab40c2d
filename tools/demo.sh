#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on real input, in one go. 10,000 simulated aircraft and two emulated microcontrollers
# report whether a bird strike damaged them, at epsilon 1. The aggregator estimates how many were.
# The files stay in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf '\n%s\n' "== $*" >&2; }
quietly() { # prints a command's output only if it fails
    local log
    log=$(mktemp)
    "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        rm -f "$log"
        exit 1
    }
    rm -f "$log"
}

say 'Setting up'
tools/setup.sh host arm
say 'Building the program sotto and the firmware for Cortex-M0 and Cortex-M3'
quietly cmake --preset host
quietly cmake --build --preset host --target sotto
for target in cortex-m0 cortex-m3; do
    quietly cmake --preset "$target"
    quietly cmake --build --preset "$target" --target firmware
done

exec examples/fleet/run.sh build/host/bin/sotto build/demo \
    microbit:build/cortex-m0/bin/firmware.elf mps2-an385:build/cortex-m3/bin/firmware.elf
