#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A stranger's program in each standard of C and C++ is compiled by gcc and clang, with warnings as
# errors. It is linked with one build of Sotto and runs. Faults in a copy of the headers are refused.
#   host.sh PROJECT LIBRARIES WORK_FOLDER      LIBRARIES: archives in link order, separated by commas
set -euo pipefail
project=$1 work=$3 rows=0
IFS=, read -r -a libraries <<<"$2"
consume=$project/tests/consume
warnings=(-Werror -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wundef -Wshadow -Wcast-qual)
includes=(-I"$work" -I"$project/ports/posix" -I"$project/ports/storage")

die() {
    echo "languages: $*" >&2
    exit 1
}
compile() { # COMPILER STANDARD INCLUDE SOURCE OUT
    "$1" "-std=$2" "${warnings[@]}" "${includes[@]}" -I"$3" -c "$4" -o "$5"
}
row() { # COMPILER STANDARD PROGRAM SUFFIX
    local name=$1-$2 state=${3}_state
    mkdir -p "$work/$name/$state"
    compile "$1" "$2" "$project/sdk/include" "$consume/$3.$4" "$work/$name/program.o"
    # The smallest program that has each header first.
    compile "$1" "$2" "$project/sdk/include" "$work/headers.$4" "$work/$name/headers.o"
    case $4 in c) compile "$1" "$2" "$project/sdk/include" "$work/metrics.c" "$work/$name/metrics.o" ;;
    *) cp "$work/metrics.o" "$work/$name/" ;; esac
    "$1" "$work/$name"/*.o -Wl,--start-group "${libraries[@]}" -Wl,--end-group -o "$work/$name/program"
    (cd "$work/$name" && ./program >/dev/null) || die "$name does not run"
    rows=$((rows + 1))
}
refuses() { # FAULT LINE COMPILER STANDARD SOURCE: a line at the end of a header
    rm -rf "$work/planted"
    cp -R "$project/sdk/include" "$work/planted"
    sed -i "\$i $2" "$work/planted/sotto/status.h"
    ! compile "$3" "$4" "$work/planted" "$consume/$5" "$work/planted.o" 2>"$work/log" || die "$3 takes $1"
    grep -q 'status.h' "$work/log" || die "$3 finds another fault than $1"
}

rm -rf "$work"
mkdir -p "$work"
"$project/tools/sotto-registry" compile "$project/tests/metrics.toml" --out "$work" >/dev/null
(cd "$project/sdk/include" && printf '#include "%s"\n' sotto/*.h) >"$work/headers.c"
(cd "$project/sdk/include" && printf '#include "%s"\n' sotto/*.hpp sotto/*.h) >"$work/headers.cpp"
echo 'typedef int headers_only;' >>"$work/headers.c"
compilers=()
for pair in gcc,g++ clang-14,clang++-14; do
    if command -v "${pair%,*}" "${pair#*,}" >/dev/null; then
        compilers+=("$pair")
    else
        echo "languages: ${pair%,*} is skipped; tools/setup.sh test installs it"
    fi
done
for pair in "${compilers[@]}"; do
    c=${pair%,*} cxx=${pair#*,}
    for standard in c99 c11 c17 c2x; do row "$c" $standard c99 c; done
    cp "$work/$c-c99/metrics.o" "$work/"
    for standard in c++11 c++14 c++17 c++20 c++2b; do row "$cxx" $standard cxx11 cpp; done
    refuses 'a macro that there is not' '#if SOTTO_ABSENT\n#endif' "$c" c99 c99.c
    refuses 'a narrowing' 'static inline signed char sotto_narrow(int x) { return x; }' "$c" c99 c99.c
    refuses 'a word of C11' 'enum { SOTTO_ALIGN = _Alignof(int) };' "$c" c99 c99.c
    refuses 'a GNU expression' 'static inline int sotto_gnu(int x) { return ({ x; }); }' "$c" c2x c99.c
    refuses 'a word of C++14' 'inline auto sotto_deduced() { return 1; }' "$cxx" c++11 cxx11.cpp
done
echo "languages: $rows programs ran; five faults were refused by each compiler"
[ "$rows" -gt 0 ]
