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
pack() { "$python" "$here/pio.py" pkg pack "$work/Sotto" -o "$work/$1" >"$work/log" 2>&1; }

rm -rf "$work"
"$project/tools/write_library.py" "$work" --mbedtls "$2" --nanopb "$3" --fiat "$4"
pack package.tar.gz || die 'the folder is refused'
tar -tzf "$work/package.tar.gz" | sed 's,^\./,,' >"$work/list"
for file in library.json src/Sotto.h src/sotto_private/sotto/sdk/src/client/client.cpp tools/sotto-registry; do
    grep -qx "$file" "$work/list" || die "the package has no $file"
done
for fault in 's/"version": "[0-9.]*"/"version": "first"/' 's/Apache-2.0/Apache/' 's/"name": "Sotto",//'; do
    cp "$work/Sotto/library.json" "$work/kept"
    sed -i "$fault" "$work/Sotto/library.json"
    ! pack fault.tar.gz || die "a planted fault is not seen: $fault"
    grep -q 'Invalid manifest fields' "$work/log" || die "another fault than $fault"
    cp "$work/kept" "$work/Sotto/library.json"
done
echo 'platformio: packed; three planted faults were refused'
