#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/tidy-aggregator.py passes a clean unit, remembers it, and refuses a finding in a header that
# the unit reads. A unit that was refused is looked at again.
#   tidy_aggregator.sh PROJECT WORK_FOLDER
set -euo pipefail
project=$1 work=$2
for tool in clang-tidy-14 ninja; do
    command -v "$tool" >/dev/null || {
        echo "skipped: $tool is missing"
        exit 77
    }
done
rm -rf "$work"
mkdir -p "$work"/{tools,aggregator,build}
cp "$project/tools/tidy-aggregator.py" "$work/tools/"
cp "$project/.clang-tidy" "$work/"
cd "$work"
export SOTTO_TIDY_CACHE=$work/cache
cat >build/build.ninja <<'END'
rule cxx
  command = c++ -MD -MF $out.d -o $out -c $in
  depfile = $out.d
  deps = gcc
END
echo "build CMakeFiles/sotto_aggregator.dir/text.cpp.o: cxx $work/aggregator/text.cpp" >>build/build.ninja
cat >aggregator/text.hpp <<'END'
#define TWICE(x) ((x) * 2)
END
printf '#include "text.hpp"\nint twice(int number) { return TWICE(number); }\n' >aggregator/text.cpp
run() { # TEXT EXIT: builds and checks
    ninja -C build >/dev/null
    ninja -C build -t compdb >build/compile_commands.json
    code=0
    tools/tidy-aggregator.py build >log || code=$?
    [ "$code" = "$2" ] && grep -qF "$1" log || {
        echo "expected exit $2 and '$1':" >&2
        cat log
        exit 1
    }
}
run '0 clean before, 1 clean now, 0 not' 0
run '1 clean before, 0 clean now, 0 not' 0
cat >aggregator/text.hpp <<'END'
#define TWICE(x) (x * 2)
END
run 'bugprone-macro-parentheses' 1
run '0 clean before, 0 clean now, 1 not' 1
