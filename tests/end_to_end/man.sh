#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every command and option has its place in the manual and in the completion; both are installed.
#   man.sh SOTTO BUILD OUT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
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
# two blanks before each
mapfile -t commands < <("$sotto" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "${#commands[@]}" -ge 8 ] || fail "found only ${#commands[@]} commands"

# missing OPTION PAGE: options of --help that the page lacks. No pipe into grep -q: it leaves at
# the first hit, and what writes to it then dies of SIGPIPE, which counts under pipefail.
missing() {
    local option page
    page=$(sed 's/\\-/-/g' "$2")
    grep -oE -- '^  (-h,)?--[a-z0-9-]+' <<<"$1" | sed 's/.*--/--/' | while read -r option; do
        grep -qE -- "\\\\fB(-h,)?$option\\\\fR" <<<"$page" || echo "$option"
    done
}
for command in "${commands[@]}"; do
    page=$pages/sotto-$command.1
    [ -f "$page" ] || fail "$command has no page"
    grep -q '^\.SH DESCRIPTION' "$page" || fail "nobody has written aggregator/man/$command.roff"
    [ "$(grep -c '^\.SH EXIT STATUS' "$page")" = 1 ] || fail "$command: no exit codes, or two"
    status=$(sed -n '/^\.SH EXIT STATUS/,$p' "$page")
    if grep -q '^\\fB\\-\\-strict' "$page"; then
        grep -q '^\.B 1$' <<<"$status" || fail "$command: --strict without an exit code"
    else
        ! grep -qE '^\.B 1$|strict' <<<"$status" || fail "$command: exit code 1 of an option it lacks"
    fi
    lacks=$(missing "$("$sotto" "$command" --help)" "$page")
    [ -z "$lacks" ] || fail "$page lacks $lacks"
    grep -q "sotto\\\\-${command//-/\\\\-} (1)" "$pages/sotto.1" || fail "sotto.1 does not name $command"
done
grep -q damaged <<<"$(grep -A1 '^\.B 3$' "$pages/sotto-verify.1")" || fail 'verify does not say damage is 3'
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

# offers WANTED WORD…: what the shell offers for the last word
. "$out/share/bash-completion/completions/sotto"
bash_offers() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _sotto
    echo "${COMPREPLY[*]}"
}
fish_offers() {
    HOME=$out fish --no-config -c 'source $argv[1]; complete -C "$argv[2..-1]"' \
        "$out/share/fish/vendor_completions.d/sotto.fish" "$@" | cut -f 1
}
# zsh completes at a terminal only: one is made, and a key that shows what would be offered
zsh_offers() {
    HOME=$out zsh -f "$here/zsh_offers.zsh" "$out/share/zsh/site-functions" "$*"
}
offers() {
    local wanted=$1 shell is
    shift
    for shell in bash fish zsh; do
        command -v "$shell" >/dev/null || continue
        is=$("${shell}_offers" "$@" | tr ' ' '\n' | LC_ALL=C sort | xargs) # each has its own order
        [ "$is" = "$wanted" ] || fail "$shell: '$*' completes to '$is', not '$wanted'"
    done
}
cd "$out" # without files that a word could be
mkdir empty && cd empty
offers 'ingest inspect' sotto in
offers 'csv html json openmetrics table' sotto estimate --format ''
offers '--store --strict' sotto ingest --st
offers '' sotto ingest --store ''
echo "${#commands[@]} commands"
