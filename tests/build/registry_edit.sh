#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An edit of the registry's compiler compiles no C file again; an edit that changes a table does.
#   registry_edit.sh PROJECT C_COMPILER WORK_FOLDER GENERATOR
set -euo pipefail
project=$1 compiler=$2 work=$3 generator=$4
fail() {
    cat "$work/log"
    echo "registry_edit ($generator): $*" >&2
    exit 1
}
# The edited compiler is a copy.
rm -rf "$work"
mkdir -p "$work/cmake" "$work/tools/registry"
cp "$project/cmake/sotto_registry.cmake" "$work/cmake/"
cp "$project/tools/sotto-registry" "$work/tools/"
cp "$project"/tools/registry/*.py "$work/tools/registry/"
cat >"$work/metrics.toml" <<'TOML'
[registry]
name = "window"
version = 1
[[metric]]
id = 1
name = "open"
type = "boolean"
epsilons = [1]
TOML
cat >"$work/main.c" <<'C'
#include "metrics.h"
int main(void) { return WINDOW_OPEN - 1; }
C
cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(edit C)
include(cmake/sotto_registry.cmake)
add_library(program STATIC main.c)
target_include_directories(program PRIVATE $project/sdk/include)
sotto_registry(program metrics.toml)
CMAKE
build() { cmake --build "$work/build" --verbose >"$work/log" 2>&1 || fail "$1: does not build"; }
# A compiler's command ends in "-c FILE"; counts those.
compiled() { grep -cE -- ' -c [^ ]+\.c( |$)' "$work/log" || true; }
touch_later() { # make reads times of whole seconds on some file systems
    sleep 1.1
    touch "$1"
}

cmake -G "$generator" -S "$work" -B "$work/build" -DCMAKE_C_COMPILER="$compiler" >"$work/log" 2>&1 ||
    fail 'does not configure'
build first
[ "$(compiled)" = 2 ] || fail "the first build compiled $(compiled) files, not 2"

touch_later "$work/tools/registry/c_style.py"
build edited
grep -q 'sotto-registry compile' "$work/log" || fail 'an edited compiler did not run'
[ "$(compiled)" = 0 ] || fail "an edited compiler with the same tables compiled $(compiled) files"
build again
! grep -q 'sotto-registry compile' "$work/log" || fail 'an unchanged compiler ran again'

touch_later "$work/metrics.toml"
sed -i 's/epsilons = \[1\]/epsilons = [1, 2]/' "$work/metrics.toml"
build changed
[ "$(compiled)" -ge 1 ] || fail 'a changed table was not compiled'
