#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The worked example of docs/ADDING.md on a copy of the tree: new/ has its sources, lists.patch its
# lines in files that are there.
#   check.sh PROJECT WORK         it applies and compiles, the page counts its files rightly, nobody
#                                 else names it
#   check.sh PROJECT WORK build   and it is built, proved, attacked and estimated
set -euo pipefail
project=$(cd "$1" && pwd)
here=$project/tests/adding
rm -rf "$2"
mkdir -p "$2"
work=$(cd "$2" && pwd)

fail() {
    echo "adding: $*" >&2
    exit 1
}

tar -C "$project" --exclude=./build --exclude=./.git -cf - . | tar -C "$work" -xf -
cp -R "$here/new/." "$work"
patch -d "$work" -p1 --fuzz=0 --silent <"$here/lists.patch" ||
    fail 'lists.patch no longer applies: make it anew, and its story in docs/ADDING.md'

patched() { sed -n 's|^+++ b/||p' "$here/lists.patch"; }
sources=$(find "$here/new" -type f | wc -l)
tests=$(patched | grep -c '^tests/')
pages=$(patched | grep -c '\.md$')
files=$((sources + $(patched | wc -l)))
count="$files files: $sources sources, $((files - sources - tests - pages)) lists, $tests test entries, $pages row of a page"
echo "a new mechanism touches $count"
grep -qF "$count" "$project/docs/ADDING.md" || fail "docs/ADDING.md does not say \"$count\""

cd "$work"
export PYTHONDONTWRITEBYTECODE=1
entries() { python3 -m unittest discover -s tests/registry -p test_mechanisms.py; }
tools/check-mechanisms.py .
tools/check-host-mechanisms.py .
tools/sotto-registry compile tests/mechanisms.toml --out registry >/dev/null
entries 2>/dev/null || fail 'tests/registry/test_mechanisms.py does not hold'
# The entries would notice a mechanism without a metric.
cp "$project/tests/mechanisms.toml" tests/mechanisms.toml.before
mv tests/mechanisms.toml tests/mechanisms.toml.after
mv tests/mechanisms.toml.before tests/mechanisms.toml
if entries 2>/dev/null; then fail 'a mechanism without a metric is not noticed'; fi
mv tests/mechanisms.toml.after tests/mechanisms.toml
cp sdk/src/client/measure.cpp measure.cpp.before
echo '// Two coins are special.' >>sdk/src/client/measure.cpp
if tools/check-mechanisms.py . >/dev/null 2>&1; then fail 'its name elsewhere is not noticed'; fi
mv measure.cpp.before sdk/src/client/measure.cpp
compiles() { "${CXX:-c++}" -fsyntax-only -Wall -Wextra -Werror -I. -Isdk/include -Isdk/src "$@"; }
compiles -std=c++17 sdk/src/mechanism/two_coins_code.cpp sdk/src/mechanism/every_code.cpp ||
    fail "the device's side does not compile"
compiles -std=c++20 aggregator/mechanism/two_coins.cpp aggregator/mechanism/all.cpp ||
    fail "the host's side does not compile"
# A part less, and they would not.
sed -i '/answer_shape answers/d' aggregator/mechanism/two_coins.cpp
if compiles -std=c++20 aggregator/mechanism/two_coins.cpp 2>/dev/null; then
    fail 'a part that is missing compiles'
fi
cp "$here/new/aggregator/mechanism/two_coins.cpp" aggregator/mechanism/two_coins.cpp
[ "${3:-}" = build ] || exit 0

cp sdk/sources.txt sdk/sources.mk .
cmake -S . -B build/adding -G Ninja -DCMAKE_BUILD_TYPE=Release >configure.log || fail 'see configure.log'
cmake --build build/adding --target \
    device_sources exhaustive_every unit_core audit statistics mechanism_test
cmp sources.txt sdk/sources.txt
cmp sources.mk sdk/sources.mk
ctest --test-dir build/adding --output-on-failure --no-tests=error -j2 \
    -R '^(exhaustive_words|unit_core|audit|statistics|every_mechanism)$'
