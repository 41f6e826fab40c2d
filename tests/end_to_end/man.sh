#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every command and option has its place in the manual and in the completion; both are installed.
#   man.sh SOTTO BUILD OUT
set -euo pipefail
sotto=$1 build=$2 out=$3
fail() {
    echo "man.sh: $*" >&2
    exit 1
}
rm -rf "$out"
mkdir -p "$out"
cmake --install "$build" --prefix "$out" >"$out/install.log"
[ -x "$out/bin/sotto" ] || fail 'sotto is not installed'
pages=$out/share/man/man1
# CLI11 writes subcommands with two blanks before and more behind
mapfile -t commands < <("$sotto" --help | sed -n '/^Subcommands:/,$s/^  \([a-z-]*\) .*/\1/p')
[ "${#commands[@]}" -ge 8 ] || fail "found only ${#commands[@]} commands"

# missing OPTION PAGE: options of --help that the page lacks
missing() {
    local option
    grep -oE -- '^  (-h,)?--[a-z0-9-]+' <<<"$1" | sed 's/.*--/--/' | while read -r option; do
        sed 's/\\-/-/g' "$2" | grep -qE -- "\\\\fB(-h,)?$option\\\\fR" || echo "$option"
    done
}
for command in "${commands[@]}"; do
    page=$pages/sotto-$command.1
    [ -f "$page" ] || fail "$command has no page"
    grep -q '^\.SH DESCRIPTION' "$page" || fail "nobody has written aggregator/man/$command.roff"
    grep -q '^\.SH EXIT STATUS' "$page" || fail "$command: no exit codes"
    lacks=$(missing "$("$sotto" "$command" --help)" "$page")
    [ -z "$lacks" ] || fail "$page lacks $lacks"
    grep -q "sotto\\\\-${command//-/\\\\-} (1)" "$pages/sotto.1" || fail "sotto.1 does not name $command"
done
[ "$(missing '  --nonsense X' "$pages/sotto-ingest.1")" = --nonsense ] || fail 'would miss nothing'
# a date would make every build another one
if command -v mandoc >/dev/null; then
    lint() { # silence with a failure is a failure
        mandoc -T lint -W warning "$@" >"$out/raw" || [ -s "$out/raw" ] || fail 'mandoc failed'
        sed '/missing date/d' "$out/raw" >"$out/lint"
    }
    printf '.TH X 1\n.SH NAME\n.nonsense\n' >"$out/bad.1"
    lint "$out/bad.1"
    [ -s "$out/lint" ] || fail 'lint would find nothing'
    lint "$pages"/*.1
    [ ! -s "$out/lint" ] || fail "$(head -n 1 "$out/lint")"
fi

# completes WANTED WORD…: what the shell offers for the last word
. "$out/share/bash-completion/completions/sotto"
completes() {
    local wanted=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _sotto
    [ "${COMPREPLY[*]}" = "$wanted" ] || fail "'$*' completes to '${COMPREPLY[*]}', not '$wanted'"
}
completes 'ingest inspect' sotto in
completes 'table csv json html' sotto estimate --format ''
completes '--store --strict' sotto ingest --st
completes '' sotto ingest --store ''
echo "${#commands[@]} commands"
