#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Strangers' projects get Sotto by find_package and by FetchContent, for the host and for a Cortex-M3,
# and their programs run.
#   run.sh PROJECT WORK_FOLDER
set -euo pipefail
project=$1 work=$2 here=$(dirname "$(realpath "$0")")
firmware=$project/examples/firmware
export CMAKE_GENERATOR=Ninja

die() {
    echo "routes: $*" >&2
    exit 1
}
configure() { # NAME METRICS [OPTION…]: a stranger's folder with its own files, and route.cmake
    mkdir -p "$work/$1/c99_state"
    printf '%s\n' "$route" >"$work/$1/route.cmake"
    cp "$here/CMakeLists.txt" "$work/$1/"
    cp "$here/../c99.c" "$work/$1/main.c"
    cp "$2" "$work/$1/metrics.toml"
    cmake -S "$work/$1" -B "$work/$1/build" "${@:3}" >"$work/$1/log" 2>&1
}
builds() { # as configure
    configure "$@" && cmake --build "$work/$1/build" >>"$work/$1/log" 2>&1 || {
        cat "$work/$1/log" >&2
        die "$1 does not build"
    }
}
says_done() { # NAME
    [ "$(cd "$work/$1" && build/stranger)" = 'done, 42 bytes' ] || die "$1 does not run"
    echo "$1: done, 42 bytes"
}

# docs/routes/cmake.md, word for word: each way to get Sotto, its installation, its two lines.
page() { "$here/../page.sh" "$project/docs/routes/cmake.md" "$@"; }
way() { # FIRST_LINE [EDIT]: the lines up to an empty one
    page cmake 1 | sed -n "/^$1/,/^\$/p" | sed "${2:-}"
}
rm -rf "$work"
mkdir -p "$work/firmware/sotto" "$work/firmware/c99_state"
for entry in "$project"/*; do
    [ "${entry##*/}" = build ] || ln -s "$entry" "$work/firmware/sotto/"
done
{
    echo 'cmake_minimum_required(VERSION 3.22)
project(firmware LANGUAGES C CXX)'
    way find_package
    echo 'add_executable(firmware main.c)'
    page cmake 2 | sed 's/port_nrf5x/port_posix/'
} | sed "s,firmware metrics.toml,firmware $project/tests/metrics.toml," >"$work/firmware/CMakeLists.txt"
cp "$here/../c99.c" "$work/firmware/main.c"
page sh 1 | sed "s,/opt/sotto,$work/installed," >"$work/firmware/page.sh"
(cd "$work/firmware" && sh -e page.sh && cmake --build build) >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "the page's commands do not build a program"
}
[ "$(cd "$work/firmware" && build/firmware)" = 'done, 42 bytes' ] || die "the page's program does not run"
echo "page: done, 42 bytes"
! grep -rlF "$project" "$work/installed" || die "the installation names the folder that it came from"
installed=(-DCMAKE_PREFIX_PATH="$work/installed")
route=$(way find_package)
builds host "$project/tests/metrics.toml" "${installed[@]}"
says_done host
if command -v arm-none-eabi-gcc qemu-system-arm >/dev/null; then
    builds board "$project/examples/metrics.toml" "${installed[@]}" -DBOARD=mps2-an385 \
        -DFIRMWARE="$firmware" -DCMAKE_TOOLCHAIN_FILE="$project/toolchains/cortex-m3.cmake" \
        -DCMAKE_BUILD_TYPE=MinSizeRel
    (cd "$work/board" && printf 101 >values &&
        "$firmware/run.sh" mps2-an385 build/stranger.elf reports values 0 2>>log)
    [ "$(wc -c <"$work/board/reports")" -eq 126 ] || die "the board did not write three reports"
    echo "board: three reports"
else
    echo "board: skipped, arm-none-eabi-gcc or qemu-system-arm is missing"
fi
route=$(way find_package 's/0\.1/0.2/')
! configure newer "$project/tests/metrics.toml" "${installed[@]}" ||
    die "version 0.2 was found, and there is none"

# As a released archive comes: one folder, named by its hash.
tar -C "$project" --exclude ./build --exclude ./.git --transform 's,^\.,sotto-0.1.0,' \
    -czf "$work/sotto-0.1.0.tar.gz" .
hash=$(sha256sum "$work/sotto-0.1.0.tar.gz" | cut -d' ' -f1)
route=$(way include "s,https://example.org,file://$work,; s/SHA256=0123…/SHA256=$hash/")
builds fetch "$project/tests/metrics.toml"
says_done fetch
route=${route/_MakeAvailable(sotto)/_MakeAvailable(sottovoce)}
! configure wrong "$project/tests/metrics.toml" || die "a wrong name is fetched"

# A copy in the project's tree.
route=$(way add_subdirectory)
mkdir -p "$work/folder/third_party"
ln -s "$work/firmware/sotto" "$work/folder/third_party/sotto"
builds folder "$project/tests/metrics.toml"
says_done folder
! configure empty "$project/tests/metrics.toml" || die "a folder that is not there is added"
