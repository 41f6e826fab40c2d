#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs every check. The inner loop is shorter:
#   cmake --build --preset dev && ctest --preset dev -L fast
#   test.sh [--long]   --long: also campaigns and scripts under sanitizers, the program as packagers
#                      build it in each build type, clang-tidy over aggregator and program, a
#                      million iterations of X25519
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
'') long=false ;;
--long) long=true ;;
*)
    echo "test.sh: '$1' is not known; allowed: --long" >&2
    exit 2
    ;;
esac
export CTEST_PARALLEL_LEVEL=2
started=$SECONDS
passed=0
logs=build/logs
mkdir -p "$logs"

step() { # NAME COMMAND…: one line if it works, its whole output if not
    local name=$1 begun=$SECONDS
    shift
    if ! "$@" >"$logs/$name.log" 2>&1; then
        cat "$logs/$name.log"
        echo "FAILED: $name ($((SECONDS - begun)) s); output in $logs/$name.log" >&2
        exit 1
    fi
    grep -hE '^[0-9]+% tests passed|^Ran [0-9]+ tests|\(Skipped\)' "$logs/$name.log" || true
    echo "ok: $name ($((SECONDS - begun)) s)"
    passed=$((passed + 1))
}
build() { cmake --preset "$1" && cmake --build --preset "$1" --target "${2:-all}"; }

tools/setup.sh host
# Unpacking tool chains and compiling for the host want different things of the machine.
tools/setup.sh arm riscv test >"$logs/setup.log" 2>&1 &
setup=$!
trap 'wait "$setup"' EXIT # half an installation is worse than a late answer
step build-host build host
wait "$setup" || {
    cat "$logs/setup.log" >&2
    exit 1
}
trap - EXIT
cmake --preset host >/dev/null # finds the tools that have arrived since
step build-host-again cmake --build --preset host
step all-tests-are-there sh -c 'ctest --preset host -N | grep -q fuzz_report_fuzz'
step test-host ctest --preset host
for target in cortex-m0 cortex-m3 cortex-m4f cortex-m33 rv32imac; do
    step "build-$target" build "$target"
    step "test-$target" ctest --preset "$target"
done
step end-to-end tests/end_to_end/fleet.sh build/host/bin/sotto build/end_to_end \
    microbit:build/cortex-m0/bin/firmware.elf mps2-an385:build/cortex-m3/bin/firmware.elf \
    mps2-an505:build/cortex-m33/bin/firmware.elf riscv32-virt:build/rv32imac/bin/firmware.elf
step counter-firmware tests/end_to_end/counter_firmware.py build/host/bin/sotto mps2-an385 \
    build/cortex-m3/bin/counter.elf
step build-host-asan build host-asan
# A campaign errs in numbers, not in memory, and takes minutes here. Scripts run the program again.
campaigns='*Cover*:*Kill*:PooledLevels*:Discover.*:Candidates.AreAMillion*:RapporEstimate.*:Plan.Strings*'
campaigns+=':SelectiveRelaxation.*:SmallCount.*:PowerLoss.At*:SharedNoise.Histories*:Ledger.AMillion*'
campaigns+=':Window*:DrawnEstimates.*:ClosedRows.AreJoined*:ClosedRows.MayBe*:Places.ArePlanned*'
campaigns+=':Tightening.HasTheJoint*:FlashStorage.IsCutUpTo*:PutBack.NothingOlder*:Totals.HaveAnInterrupt*'
campaigns+=':LargestErrors.*:PadAndSample.Intervals*:Counters.SayHow*:LinearRule.*:Places.Are*'
campaigns+=':Places.Have*:RegionFiles.OneShared*:OfflineBudget.*'
scripts='example_|readme_example|serve|watch|daily_job|later_level|no_compile|stream_figures'
$long && campaigns='*Cover*' scripts=none
step test-host-asan env GTEST_FILTER="-$campaigns" ctest --preset host-asan -E "$scripts"
# Units and laws have run above, by the same compiler.
step build-host-clang build host-clang constant_time_programs
step test-host-clang ctest --preset host-clang -R constant_time
step tidy tools/check-tidy.sh build/host-clang
if $long; then
    step x25519-million build/host/bin/crypto_million
    step adding tests/adding/check.sh . build/adding build
    step tidy-aggregator tools/tidy-aggregator.py build/host sotto_aggregator
    step tidy-program tools/tidy-aggregator.py build/host sotto_program
    step packager tests/end_to_end/packager.sh build/packager
fi
echo "all is well after $((SECONDS - started)) s"
echo "$passed passed, 0 failed"
