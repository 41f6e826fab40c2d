#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library's folder as Arduino takes it. Every file of src is compiled with src as the one include
# path. The sketch runs on a stand-in for an ESP32.
#   arduino.sh PROJECT C_COMPILER CXX_COMPILER MBEDTLS_DIR NANOPB_DIR FIAT_DIR WORK_FOLDER
set -euo pipefail
project=$1 cc=$2 cxx=$3 work=$7 here=$(dirname "$(realpath "$0")")
library=$work/Sotto

die() {
    echo "arduino: $*" >&2
    exit 1
}
rules() { python3 "$here/rules.py" "$library" "$project/sdk/sources.txt"; }
breaks() { # FILE EDIT WORDS: a fault is planted, seen and taken away
    cp "$library/$1" "$work/kept"
    sed -i "$2" "$library/$1"
    ! rules >"$work/log" 2>&1 || die "a planted fault is not seen: $2"
    grep -q "$3" "$work/log" || die "another fault than $2"
    cp "$work/kept" "$library/$1"
}

rm -rf "$work"
"$project/tools/write_library.py" "$work" --mbedtls "$4" --nanopb "$5" --fiat "$6"
! "$project/tools/write_library.py" "$work" --mbedtls "$4" --nanopb "$5" --fiat "$6" 2>/dev/null ||
    die 'a folder was written over'
rules
breaks library.properties 's/^version=.*/version=1/' 'three numbers'
breaks library.properties 's/^includes=.*/includes=sotto.hpp/' 'not in src'
touch "$library/src/sotto_private/sotto/extra.c"
! rules >"$work/log" 2>&1 || die 'a source too much is not seen'
rm "$library/src/sotto_private/sotto/extra.c"
! grep -rlF -e "$project" -e "$4" "$library" || die 'a file names a folder of this machine'

# ESP-IDF gives MBEDTLS_CONFIG_FILE and headers of Mbed TLS to every library.
mkdir -p "$work/objects" "$work/foreign/mbedtls"
echo '#error a header of another Mbed TLS' | tee "$work/foreign/mbedtls/"{aes,sha256,build_info}.h >/dev/null
flags=(-Os -w -DARDUINO=10819 -DESP_PLATFORM '-DMBEDTLS_CONFIG_FILE="mbedtls/esp_config.h"'
    -I"$work/foreign" -I"$library/src" -I"$here/fake" -I"$project/tests/ports/fake"
    -I"$project/tests/storage/fake" -ffunction-sections -fdata-sections)
compile() { # STANDARD COMPILER SUFFIX FOLDER…
    find "${@:4}" -name "*.$3" -print0 |
        xargs -0 -P2 -I{} sh -c '"$@" -c "$0" -o "'"$work"'/objects/$(echo "$0" | tr / _).o"' {} \
            "$2" "-std=$1" "${flags[@]}" >"$work/log" 2>&1 || {
        cat "$work/log"
        die "src is not compiled"
    }
}
compile gnu11 "$cc" c "$library/src" "$library/examples/Door" "$here/fake"
compile gnu++17 "$cxx" cpp "$library/src" "$here/fake"
sketch() { # SKETCH: built and run
    "$cxx" -std=gnu++17 "${flags[@]}" -x c++ -include Arduino.h -I"$library/examples/Door" -c "$1" -o "$work/sketch.o" &&
        "$cxx" -Wl,--gc-sections "$work"/objects/*.o "$work/sketch.o" -o "$work/sketch" && "$work/sketch" >"$work/said"
}
door=$library/examples/Door/Door.ino
sketch "$door"
grep -qx 'sealed batch, bytes:' "$work/said" || die "the sketch says: $(cat "$work/said")"
# A source of randomness that nobody switched on.
sed 's/bootloader_random_enable()/(void)0/' "$door" >"$work/silent.ino"
sketch "$work/silent.ino"
! grep -qx 'sealed batch, bytes:' "$work/said" || die 'without noise a batch is sealed'
echo 'arduino: the sketch sealed a batch; without noise it does not'
