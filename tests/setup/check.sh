#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How tools/setup.sh treats archives, in caches of its own and without a network.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
archive=nanopb_0.4.9.1.orig.tar.gz
good=$("$root/tools/setup.sh" --source nanopb)/../$archive
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "setup: $*" >&2
    exit 1
}
mkdir "$work/cache" "$work/archives" "$work/other"
source_of_nanopb() { SOTTO_CACHE=$work/$1 SOTTO_ARCHIVES=${2:-} "$root/tools/setup.sh" --source nanopb 2>"$work/log"; }

# A wrong archive stops with both hashes, and nothing is unpacked.
echo 'not nanopb' >"$work/cache/$archive"
code=0
source_of_nanopb cache >/dev/null || code=$?
[ "$code" = 3 ] || fail "a wrong archive: exit $code, not 3"
grep -q "$(sha256sum "$work/cache/$archive" | cut -d' ' -f1)" "$work/log" || fail 'its hash is not shown'
grep -q 4575944a468718ef25f05eb01d994364650b581563089a9841986bb1e460eac3 "$work/log" || fail 'the wanted hash is not shown'
[ "$(ls "$work/cache")" = "$archive" ] || fail 'something was unpacked'

# A right one in either place is taken, whatever lies in the other.
cp "$good" "$work/archives/$archive"
[ -f "$(source_of_nanopb cache "$work/archives")/pb_encode.c" ] || fail 'a right archive beside a wrong one'
cp "$good" "$work/other/$archive"
echo 'not nanopb' >"$work/archives/$archive"
[ -f "$(source_of_nanopb other "$work/archives")/pb_encode.c" ] || fail 'a right archive in the cache'

# A download with the wrong hash stops as well, with both, and leaves nothing behind.
mkdir "$work/tools"
cp "$root/tools/setup.sh" "$work/tools/"
echo 'still not nanopb' >"$work/tampered.tar.gz"
echo "nanopb 0.4.9.1 4575944a468718ef25f05eb01d994364650b581563089a9841986bb1e460eac3 absent.tar.gz file://$work/tampered.tar.gz" >"$work/tools/sources.txt"
code=0
SOTTO_CACHE=$work/empty SOTTO_ARCHIVES='' "$work/tools/setup.sh" --source nanopb >/dev/null 2>"$work/log" || code=$?
[ "$code" = 3 ] || fail "a wrong download: exit $code, not 3"
grep -q "$(sha256sum "$work/tampered.tar.gz" | cut -d' ' -f1)" "$work/log" || fail "the download's hash is not shown"
grep -q 'wanted: 4575944a' "$work/log" || fail 'the wanted hash is not shown for a download'
[ -z "$(ls "$work/empty")" ] || fail 'a wrong download stays in the cache'

# Where sources.txt names a folder, that alone is unpacked.
mkdir -p "$work/big-1/src/part" "$work/big-1/part"
echo used >"$work/big-1/src/part/header.h"
echo unused >"$work/big-1/part/other.h"
tar -cf "$work/archives/big_1.tar" -C "$work" big-1
echo "big 1 $(sha256sum "$work/archives/big_1.tar" | cut -d' ' -f1) big_1.tar absent src/part" >"$work/tools/sources.txt"
part=$(SOTTO_CACHE=$work/parts SOTTO_ARCHIVES=$work/archives "$work/tools/setup.sh" --source big 2>"$work/log") ||
    fail "a folder of an archive: $(cat "$work/log")"
[ "$(cd "$part" && find . -type f)" = ./header.h ] || fail "a folder of an archive: $(cd "$part" && find .)"

# The second time nothing is said or done.
source_of_nanopb other >/dev/null
[ ! -s "$work/log" ] || fail "a second run says: $(cat "$work/log")"
# A tool that is missing is named, with the command that obtains it.
for missing in '--tool ruff' '--analysis python3' '--page python3' '--spark python3'; do
    code=0
    SOTTO_CACHE=$work/empty "$root/tools/setup.sh" $missing >"$work/out" 2>"$work/log" || code=$?
    [ "$code" = 3 ] && [ ! -s "$work/out" ] &&
        grep -q "${missing#* } is missing; tools/setup.sh test" "$work/log" ||
        fail "a missing tool: exit $code: $(cat "$work/log")"
done
# The prover: a wrong package or a changed file is an error, and only one that can't be had is skipped.
if [ "$(uname -m)" = x86_64 ]; then
    mkdir -p "$work/deb/DEBIAN" "$work/deb/usr/bin" "$work/prover"
    printf 'Package: cbmc\nVersion: 1\nArchitecture: amd64\nMaintainer: nobody\nDescription: none\n' >"$work/deb/DEBIAN/control"
    echo prover >"$work/deb/usr/bin/cbmc"
    dpkg-deb -b "$work/deb" "$work/prover/cbmc_1.deb" >/dev/null
    list() { echo "cbmc 1 $1 cbmc_1.deb absent" >"$work/tools/prover.txt"; }
    prover() { # CODE FUNCTION
        code=0
        SOTTO_CACHE=$work/prover SOTTO_ARCHIVES='' "$work/tools/setup.sh" $2 >"$work/out" 2>"$work/log" || code=$?
        [ "$code" = "$1" ] || fail "$2 of the prover: exit $code, not $1: $(cat "$work/log")"
    }
    list "$(printf '0%.0s' {1..64})"
    prover 3 --obtain-prover
    grep -q 'has the wrong sha256' "$work/log" || fail "a wrong prover: $(cat "$work/log")"
    prover 3 --prover
    list "$(sha256sum "$work/prover/cbmc_1.deb" | cut -d' ' -f1)"
    prover 0 --obtain-prover
    prover 0 --prover
    echo other >"$(dirname "$(cat "$work/out")")/usr/bin/cbmc"
    prover 4 --prover
    grep -q 'is not as it was unpacked' "$work/log" || fail "a changed prover: $(cat "$work/log")"
    rm "$work/prover/cbmc_1.deb"
    list "$(printf '0%.0s' {1..64})"
    prover 0 --obtain-prover
    grep -q 'proofs are skipped' "$work/log" || fail "a prover that can't be had: $(cat "$work/log")"
fi
code=0
"$root/tools/setup.sh" kitchen >"$work/log" 2>&1 || code=$?
[ "$code" = 2 ] && grep -q 'allowed: host arm riscv test' "$work/log" || fail 'an unknown part is not refused'
echo 'setup: every check passed'
