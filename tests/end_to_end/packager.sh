#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program as a packager does, without presets, once a build type, installs it and runs
# each through every mechanism. Equal seeds make equal report files and equal estimates, whatever
# the build. At last each check is given what it must refuse.
#   packager.sh OUT [TYPE…]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath -m "$1")
shift
[ $# -gt 0 ] || set -- Release RelWithDebInfo Debug
mkdir -p "$out"

configure() { # BUILD OPTION…
    cmake -S "$root" -B "$out/$1" -DSOTTO_TESTS=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:2}"
}
installs() { # BUILD: into BUILD/root, with its man pages and completions
    rm -rf "$out/$1/root"
    cmake --install "$out/$1" --prefix "$out/$1/root" || return
    local file
    for file in bin/sotto share/man/man1/sotto.1 share/man/man1/sotto-ingest.1 \
        share/bash-completion/completions/sotto share/zsh/site-functions/_sotto \
        share/fish/vendor_completions.d/sotto.fish; do
        [ -s "$out/$1/root/$file" ] || { echo "packager: $1 installs no $file" >&2; return 1; }
    done
}
same() { # FILE BUILD BUILD
    cmp "$out/$2/run/$1" "$out/$3/run/$1" || {
        echo "packager: $1 of $2 and of $3 differ" >&2
        return 1
    }
}
takes_warnings() { # BUILD: one file of the program compiles with a warning
    python3 - "$out/$1/compile_commands.json" "$out/warns.h" <<'PYTHON'
import json, pathlib, shlex, subprocess, sys
pathlib.Path(sys.argv[2]).write_text("static int planted(int unused) { return 0; }\n")
one = next(c for c in json.load(open(sys.argv[1])) if c["file"].endswith("aggregator/mechanism/one_bit_mean.cpp"))
command = shlex.split(one["command"]) + ["-include", sys.argv[2], "-o", "/dev/null"]
done = subprocess.run(command, cwd=one["directory"], capture_output=True, text=True)
sys.exit("no warning was planted" if "planted" not in done.stderr else done.returncode)
PYTHON
}
refused() { # CHECK ARGUMENT…
    if "$@" >/dev/null 2>&1; then
        echo "packager: the control passes: $*" >&2
        exit 1
    fi
}

for type in "$@"; do
    configure "$type" -DCMAKE_BUILD_TYPE="$type"
    takes_warnings "$type"
    cmake --build "$out/$type" --target sotto -j 2
    installs "$type"
    "$out/$type/root/bin/sotto" --version
    "$root/examples/mechanisms/run.sh" "$out/$type/root/bin/sotto" "$out/$type/run" 2026
    for file in reports.bin level0.json level2.json epsilon.json; do
        same "$file" "$1" "$type"
    done
    echo "packager: $type builds, installs and runs"
done

configure strict -DCMAKE_BUILD_TYPE="$1" -DSOTTO_WERROR=ON >/dev/null
refused takes_warnings strict
mkdir -p "$out/other/run"
{ cat "$out/$1/run/reports.bin" && printf x; } >"$out/other/run/reports.bin"
refused same reports.bin "$1" other
completion=$(find "$out/$1/aggregator" -name sotto.bash)
mv "$completion" "$out/"
refused installs "$1"
: >"$completion"
refused installs "$1"
mv "$out/sotto.bash" "$completion"
installs "$1" >/dev/null
echo "packager: warnings as errors, another report file, a missing and an empty file are refused"
