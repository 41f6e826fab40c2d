#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prepares a Debian 12 machine: installs the packages that are missing and obtains the pinned sources
# of Mbed TLS, nanopb and fiat-crypto. A second run does nothing.
#
#   tools/setup.sh [host] [arm] [riscv] [test]   what to prepare for; without arguments: host
#   tools/setup.sh --source NAME                 prints where NAME's sources are, obtaining them first
#   tools/setup.sh --tool NAME                   prints where NAME of tools/python-tools.txt is
#   tools/setup.sh --analysis NAME               prints where NAME of tools/python-analysis.txt is
#   tools/setup.sh --page NAME                   prints where NAME of tools/python-page.txt is
#   tools/setup.sh --obtain-prover               obtains CBMC alone, as `test` does
#   tools/setup.sh --prover                      prints where CBMC of tools/prover.txt is
#   tools/setup.sh --spark NAME                  prints where NAME of tools/python-spark.txt is
#
# Sources are taken, always by sha256 (tools/sources.txt), from the first place that has them:
#   1. the folder that SOTTO_ARCHIVES names
#   2. the cache: SOTTO_CACHE, or XDG_CACHE_HOME/sotto, or ~/.cache/sotto
#   3. Debian's packages
#   4. the address that sources.txt has
# CBMC too, of tools/prover.txt.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cache=${SOTTO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sotto}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { echo "setup: $*" >&2; }
die() {
    say "$*"
    exit 3
}

packages_for() {
    case $1 in
    host) echo g++ cmake ninja-build python3 ca-certificates curl bzip2 xz-utils libboost-dev libcli11-dev libeigen3-dev libprotozero-dev libssl-dev libfmt-dev nlohmann-json3-dev libgtest-dev libpq-dev libsqlite3-dev libxxhash-dev libjs-chart.js ;;
    arm) echo gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm ;;
    riscv) echo gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc ;;
    test) echo valgrind make python3-dev python3-venv clang-14 clang-format-14 clang-tidy-14 protobuf-compiler python3-protobuf libbenchmark-dev liblmdb-dev libnss3-dev librocksdb-dev libclang-rt-14-dev libprotobuf-dev libmbedtls-dev mandoc doxygen zsh fish chromium fonts-dejavu-core nginx-light caddy fakeroot dpkg-dev openssl postgresql llvm-14 cadical openjdk-17-jre-headless ;;
    *)
        echo "setup.sh: unknown part '$1'; allowed: host arm riscv test" >&2
        exit 2
        ;;
    esac
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "needs root to run: $*"
    fi
}

install_packages() {
    local missing=() package
    for package in "$@"; do
        [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" == installed* ]] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || die "this is not Debian; install the like of: ${missing[*]}"
    say "installing from Debian: ${missing[*]}"
    as_root apt-get update -qq >&2 || say 'apt-get update failed; trying with the lists that are there'
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        -o Dpkg::Use-Pty=0 "${missing[@]}" >&2 || die "apt-get could not install: ${missing[*]}"
}

# Another thing is there than was asked for: an error, also where a thing that is missing is skipped.
wrong() {
    touch "$work/wrong"
    die "$*"
}

# has_hash FILE SHA256
has_hash() { [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$2" ]; }

# From the pool of Debian's packages, where this machine gets its own packages from. The hash
# makes it trustworthy, so no package lists are needed.
from_debian() { # ARCHIVE URL FILE
    local helper=/usr/lib/apt/apt-helper uri source=${1%%_*} place
    place=${source:0:1}/$source/$1
    [[ $2 != *pool/main/* ]] || place=${2#*pool/main/}
    [ -x "$helper" ] || return 1
    while read -r uri; do
        "$helper" download-file "${uri%/}/pool/main/$place" "$3" >/dev/null 2>&1 && return 0
    done < <(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
        'Component: main' 2>/dev/null | sort -u)
    return 1
}

from_release_page() { # URL FILE
    command -v curl >/dev/null && curl -fsSL --max-time 120 -o "$2" "$1" 2>/dev/null
}

# Leaves the archive, its hash verified, in the cache.
obtain() { # NAME VERSION SHA256 ARCHIVE URL
    local name=$1 sha=$3 archive=$4 url=$5 place temporary tried=()
    for place in ${SOTTO_ARCHIVES:+"$SOTTO_ARCHIVES"} "$cache"; do
        if has_hash "$place/$archive" "$sha"; then
            [ "$place" = "$cache" ] || cp "$place/$archive" "$cache/$archive"
            return 0
        fi
        tried+=("$place")
    done
    for place in "${tried[@]}"; do
        [ ! -f "$place/$archive" ] || wrong "$place/$archive has the wrong sha256
  is:     $(sha256sum "$place/$archive" | cut -d' ' -f1)
  wanted: $sha
  Remove it and run again."
    done
    temporary=$work
    for place in "Debian's packages" "$url"; do
        say "obtaining $name $2 from $place"
        case $place in
        *://*) from_release_page "$url" "$temporary/$archive" ;;
        *) from_debian "$archive" "$url" "$temporary/$archive" ;;
        esac || {
            tried+=("$place")
            continue
        }
        has_hash "$temporary/$archive" "$sha" || wrong "$archive from $place has the wrong sha256
  is:     $(sha256sum "$temporary/$archive" | cut -d' ' -f1)
  wanted: $sha"
        mv "$temporary/$archive" "$cache/$archive"
        return 0
    done
    die "could not obtain $archive (sha256 $sha); tried: $(printf '%s; ' "${tried[@]}")put it into $cache"
}

# unpack ARCHIVE INTO [FOLDER]: all that is used, or a folder of the archive.
unpack() {
    local above=${3//[^\/]/} # its slashes
    if [ -n "$3" ]; then
        tar -xf "$1" -C "$2" --strip-components=$((2 + ${#above})) --wildcards "*/$3/*"
    else
        tar -xf "$1" -C "$2" --strip-components=1 --exclude='*/tests' \
            --exclude='*/docs' --exclude='*/programs' --exclude='*/examples' --exclude='*/visualc'
    fi
}

# Prints where the unpacked sources are.
source_of() {
    local name version sha archive url folder
    read -r name version sha archive url folder < <(grep "^$1 " "$root/tools/sources.txt") ||
        die "no source named '$1' in tools/sources.txt"
    local unpacked=$cache/$name-$version-${sha:0:12}
    if [ ! -d "$unpacked" ]; then
        mkdir -p "$cache" || die "$cache can't be made"
        obtain "$name" "$version" "$sha" "$archive" "$url"
        rm -rf "$unpacked.part"
        mkdir -p "$unpacked.part"
        unpack "$cache/$archive" "$unpacked.part" "$folder"
        mv "$unpacked.part" "$unpacked"
        say "$name $version is in $unpacked"
    fi
    echo "$unpacked"
}

# Debian 13's CBMC in a folder of its own, with the libraries that it needs.
prover_folder() { echo "$cache/prover-$(sha256sum "$root/tools/prover.txt" | cut -c-12)"; }

obtain_prover() {
    local folder name version sha archive url
    folder=$(prover_folder)
    [ ! -e "$folder/files.sha256" ] || return 0
    [ "$(uname -m)" = x86_64 ] || {
        say 'CBMC is obtained for x86-64 only; proofs are skipped'
        return 0
    }
    mkdir -p "$cache" || die "$cache can't be made"
    rm -rf "$folder.part"
    mkdir "$folder.part"
    while read -r name version sha archive url; do
        (obtain "$name" "$version" "$sha" "$archive" "$url") || {
            rm -rf "$folder.part"
            [ ! -e "$work/wrong" ] || exit 3
            say 'could not obtain CBMC; proofs are skipped'
            return 0
        }
        dpkg-deb -x "$cache/$archive" "$folder.part"
    done < <(grep -v '^#' "$root/tools/prover.txt")
    cat >"$folder.part/cbmc" <<'END'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$here/usr/x86_64-linux-gnu/lib
exec "$lib/ld-linux-x86-64.so.2" --library-path "$lib:$here/usr/lib" "$here/usr/bin/cbmc" "$@"
END
    chmod +x "$folder.part/cbmc"
    (cd "$folder.part" && find cbmc usr -type f ! -path '*/share/*' -exec sha256sum {} + >files.sha256)
    rm -rf "$folder"
    mv "$folder.part" "$folder"
    say "CBMC is in $folder"
}

# A virtual environment of a name that changes with the list; the file `complete` comes last.
python_folder() { echo "$cache/$1-$(sha256sum "$root/tools/$1.txt" | cut -c-12)"; } # LIST
# A virtual environment of a name that changes with the list; the file `complete` comes last. A list
# may have another beside it, of packages that PyPI has as source archives alone.
python_folder() { # LIST
    local lists=("$root/tools/$1.txt")
    [ ! -e "$root/tools/$1-source.txt" ] || lists+=("$root/tools/$1-source.txt")
    echo "$cache/$1-$(cat "${lists[@]}" | sha256sum | cut -c-12)"
}

# Only checks need them, and each says when it is skipped: without a network the rest goes on.
obtain_python() { # LIST
    local folder
    folder=$(python_folder "$1")
    [ ! -e "$folder/complete" ] || return 0
    say "obtaining tools/$1.txt from PyPI"
    rm -rf "$folder"
    local install=("$folder/bin/pip" install --quiet --disable-pip-version-check
        ${SOTTO_ARCHIVES:+--find-links "$SOTTO_ARCHIVES"} --require-hashes)
    { python3 -m venv "$folder" &&
        "${install[@]}" --only-binary :all: -r "$root/tools/$1.txt" &&
        { [ ! -e "$root/tools/$1-source.txt" ] || "${install[@]}" --no-deps --no-build-isolation \
            -r "$root/tools/$1-source.txt"; }; } >&2 && touch "$folder/complete" || {
        rm -rf "$folder"
        say 'could not obtain them; checks that need them are skipped'
    }
}

tool() { # LIST NAME
    local folder
    folder=$(python_folder "$1")
    [ -e "$folder/bin/$2" ] && [ -e "$folder/complete" ] ||
        die "$2 is missing; tools/setup.sh test obtains it"
    echo "$folder/bin/$2"
}

case ${1:-} in
--source)
    source_of "${2:?setup.sh --source NAME}"
    exit
    ;;
--obtain-prover)
    obtain_prover
    exit
    ;;
--prover)
    folder=$(prover_folder)
    [ -e "$folder/files.sha256" ] || die "CBMC is missing; tools/setup.sh test obtains it"
    (cd "$folder" && sha256sum --quiet -c files.sha256 >&2) || {
        say "CBMC in $folder is not as it was unpacked; remove the folder and run tools/setup.sh test"
        exit 4
    }
    echo "$folder/cbmc"
    exit
    ;;
--tool)
    tool python-tools "${2:?setup.sh --tool NAME}"
    exit
    ;;
--analysis)
    tool python-analysis "${2:?setup.sh --analysis NAME}"
    exit
    ;;
--page)
    tool python-page "${2:?setup.sh --page NAME}"
    exit
    ;;
--spark)
    tool python-spark "${2:?setup.sh --spark NAME}"
    exit
    ;;
esac
packages=()
for part in "${@:-host}"; do
    names=$(packages_for "$part")
    read -r -a more <<<"$names"
    packages+=("${more[@]}")
done
install_packages "${packages[@]}"
source_of mbedtls >/dev/null
source_of nanopb >/dev/null
source_of fiat >/dev/null
case " $* " in *' test '*)
    obtain_python python-tools
    obtain_python python-analysis
    obtain_python python-page
    obtain_prover
    obtain_python python-spark
    ;;
esac
