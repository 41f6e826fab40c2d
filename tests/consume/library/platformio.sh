#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# PlatformIO takes the library's folder for a package, and not one with a fault.
#   platformio.sh PROJECT MBEDTLS_DIR NANOPB_DIR FIAT_DIR WORK_FOLDER
set -euo pipefail
project=$1 work=$5 here=$(dirname "$(realpath "$0")")
python=$("$project/tools/setup.sh" --tool python3) && "$python" -c 'import platformio' 2>/dev/null || {
    echo 'skipped: platformio is missing'
    exit 77
}
die() {
    echo "platformio: $*" >&2
    cat "$work/log" >&2
    exit 1
}
export PLATFORMIO_CORE_DIR=$work/core PLATFORMIO_SETTING_ENABLE_TELEMETRY=no PYTHONDONTWRITEBYTECODE=1
pack() { "$python" "$here/pio.py" pkg pack "$work/lib/Sotto" -o "$work/$1" >"$work/log" 2>&1; }

page() { "$here/../page.sh" "$project/docs/routes/platformio.md" "$@"; }
rm -rf "$work"
mkdir -p "$work/src"
ln -s "$project" "$work/sotto"
{
    page sh 1 | sed "s,write_library.py lib,& --mbedtls $2 --nanopb $3 --fiat $4,"
    echo 'cp lib/Sotto/examples/Door/metrics.toml lib/Sotto/examples/Door/aggregator.pub .'
    page sh 2
} >"$work/page.sh"
(cd "$work" && sh -e page.sh) >"$work/log" 2>&1 || die "the page's commands fail"
pack package.tar.gz || die 'the folder is refused'
tar -tzf "$work/package.tar.gz" | sed 's,^\./,,' >"$work/list"
for file in library.json src/Sotto.h src/sotto_private/sotto/sdk/src/client/client.cpp tools/sotto-registry; do
    grep -qx "$file" "$work/list" || die "the package has no $file"
done
for fault in 's/"version": "[0-9.]*"/"version": "first"/' 's/Apache-2.0/Apache/' 's/"name": "Sotto",//'; do
    cp "$work/lib/Sotto/library.json" "$work/kept"
    sed -i "$fault" "$work/lib/Sotto/library.json"
    ! pack fault.tar.gz || die "a planted fault is not seen: $fault"
    grep -q 'Invalid manifest fields' "$work/log" || die "another fault than $fault"
    cp "$work/kept" "$work/lib/Sotto/library.json"
done

# The page's platformio.ini, as PlatformIO reads it, over a framework's old standard.
compiles() { # with the flags of platformio.ini
    flags=$("$python" - "$work/platformio.ini" <<'END'
import sys
from platformio.project.config import ProjectConfig
config = ProjectConfig(sys.argv[1])
config.validate(silent=True)
[section] = [name for name in config.sections() if name.startswith("env:")]
lines = {name: " ".join(config.get(section, name)).split() for name in ("build_flags", "build_unflags")}
assert set(config.options(section)) == set(lines), config.options(section)
print(*[flag for flag in ["-std=gnu++11"] if flag not in lines["build_unflags"]], *lines["build_flags"])
END
    ) && c++ $flags -w -fsyntax-only -I"$work/lib/Sotto/src" -I"$work/src" -include Sotto.h \
        "$work/lib/Sotto/src/sotto_private/sotto/sdk/src/client/client.cpp"
}
page ini >"$work/platformio.ini"
compiles >"$work/log" 2>&1 || die "the page's flags do not compile Sotto"
cc -w -fsyntax-only -I"$work/lib/Sotto/src" "$work/src/metrics.c" >"$work/log" 2>&1 || die 'metrics.c'
for fault in /^build_flags/d s/^build_unflags/build_undo/; do
    page ini | sed "$fault" >"$work/platformio.ini"
    ! compiles >"$work/log" 2>&1 || die "a wrong page is followed: $fault"
done
echo 'platformio: packed, flags read; three planted faults were refused'
