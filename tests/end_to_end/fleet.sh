#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demo on every emulated board, and what must hold of its files afterwards.
#   fleet.sh SOTTO OUT BOARD:FIRMWARE.elf…
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
sotto=$(realpath "$1")
out=$2
printed=$("$root/examples/fleet/run.sh" "$@")
echo "$printed"
cd "$out"
fail() {
    echo "end to end: $*" >&2
    exit 1
}
# Numbers without noise are those of the README.
for source in 'simulated fleet' 'firmware on microbit' 'firmware on mps2-an385'; do
    ours=$(grep "^$source" <<<"$printed" | tr -s ' ')
    theirs=$(grep "^    $source" "$root/README.md" | tr -s ' ')
    [ " $ours" = "$theirs" ] || fail "the README says '$theirs', the demo '$ours'"
done
# The ledger also remembers that a file was read, so its bytes differ: verify checks it against the
# segments.
tree() {
    "$sotto" verify --store "$1" >/dev/null
    find "$1" -type f ! -name 'ledger.sqlite*' -exec sha256sum {} + | sort
}

# The same files again change no report, byte for byte.
before=$(tree store)
"$sotto" ingest --registry registry/metrics.json --store store ./*.bin >again.log 2>&1
[ "$before" = "$(tree store)" ] || fail 'ingesting the same files again changed the store'
grep -q duplicate again.log || fail 'nothing was counted as a duplicate'

# A file cut in the middle of a report keeps what is whole, and says what is not.
head -c 5000 fleet.bin >cut.bin
"$sotto" ingest --registry registry/metrics.json --store cut cut.bin >cut.log 2>&1
grep -q truncated cut.log || fail 'a truncated file was not reported'
"$sotto" estimate --registry registry/metrics.json --store cut --format json >cut.json
grep -q '"reports": *119' cut.json || fail "119 whole reports of 42 bytes are in 5,000: $(cat cut.json)"

# Nothing readable is an error, and changes nothing.
for bad in "$root/README.md" /dev/null; do
    code=0
    "$sotto" ingest --registry registry/metrics.json --store store "$bad" >bad.log 2>&1 || code=$?
    [ "$code" = 2 ] || fail "$bad: exit $code, not 2"
done
[ "$before" = "$(tree store)" ] || fail 'an unreadable file changed the store'

# Reports of the boards are told apart by their release alone.
releases=$(for file in *.bin; do "$sotto" inspect --registry registry/metrics.json "$file" 2>/dev/null; done | grep -o '"release":"[0-9a-f]*"' | sort)
[ "$(wc -l <<<"$releases")" = "$(sort -u <<<"$releases" | wc -l)" ] && fail 'cut.bin repeats fleet.bin, so releases must repeat'
releases=$(for file in *.bin; do [ "$file" = cut.bin ] || "$sotto" inspect --registry registry/metrics.json "$file"; done | grep -o '"release":"[0-9a-f]*"')
[ "$(wc -l <<<"$releases")" = "$(sort -u <<<"$releases" | wc -l)" ] || fail 'a release id repeats'
echo "end to end: $(wc -l <<<"$releases") reports, every check passed"
