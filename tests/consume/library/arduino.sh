#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library's folder as Arduino takes it. Every file of src is compiled with src as the one include
# path. The sketch runs on a stand-in for an ESP32.
#   arduino.sh PROJECT C_COMPILER CXX_COMPILER MBEDTLS_DIR NANOPB_DIR FIAT_DIR WORK_FOLDER
set -euo pipefail
project=$1 cc=$2 cxx=$3 work=$7 here=$(dirname "$(realpath "$0")")
library=$work/Arduino/libraries/Sotto

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

page() { "$here/../page.sh" "$project/docs/routes/arduino.md" "$@"; }
run_page() { (cd "$work" && sh -e) >"$work/log" 2>&1; } # commands of the page on standard input

rm -rf "$work"
mkdir -p "$work/Arduino/libraries" "$work/MySketch"
ln -s "$project" "$work/sotto"
given="--mbedtls $4 --nanopb $5 --fiat $6"
page sh 1 | sed "s,write_library.py out,& $given,; s,~,$work," | run_page || die "step 1: $(cat "$work/log")"
mkdir "$work/Sotto" && ! "$project/tools/write_library.py" "$work" $given 2>/dev/null || die 'a folder was written over'
rmdir "$work/Sotto"
# The commands for IAR and Keil write the same folder.
mkdir "$work/keil"
ln -s "$project" "$work/keil/sotto"
cp "$library/examples/Door/"{metrics.toml,aggregator.pub} "$work/keil/"
for step in 1 2; do "$here/../page.sh" "$project/docs/routes/iar-keil.md" sh $step; done |
    sed "s,write_library.py out,& $given," >"$work/page.sh"
(cd "$work/keil" && sh -e "$work/page.sh") >"$work/log" 2>&1 || die "iar-keil.md: $(cat "$work/log")"
diff -r "$library/src" "$work/keil/out/Sotto/src" >/dev/null && [ -s "$work/keil/metrics.c" ] || die 'iar-keil.md: other files'
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
compile gnu11 "$cc" c "$library/src" "$here/fake"
compile gnu++17 "$cxx" cpp "$library/src" "$here/fake"
sketch() { # SKETCH: built and run
    "$cxx" -std=gnu++17 "${flags[@]}" -x c++ -include Arduino.h -I"$work/MySketch" -c "$1" -o "$work/sketch.o" &&
        "$cxx" -Wl,--gc-sections "$work"/objects/*.o "$work/sketch.o" -o "$work/sketch" && "$work/sketch" >"$work/said"
}
# The page's sketch: the example's code with the page's includes, and what the page's command makes.
door=$work/MySketch/MySketch.ino
cp "$library/examples/Door/"{metrics.toml,aggregator.pub} "$work/MySketch/"
page sh 2 | sed "s,~,$work," | run_page || die "step 2: $(cat "$work/log")"
{
    page cpp
    sed '/^#include <[Ss]otto\|^#include "metrics.h"/d' "$library/examples/Door/Door.ino"
} >"$door"
compile gnu11 "$cc" c "$work/MySketch"
sketch "$door"
grep -qx 'sealed batch, bytes:' "$work/said" || die "the sketch says: $(cat "$work/said")"
# A source of randomness that nobody switched on.
sed 's/bootloader_random_enable()/(void)0/' "$door" >"$work/silent.ino"
sketch "$work/silent.ino"
! grep -qx 'sealed batch, bytes:' "$work/said" || die 'without noise a batch is sealed'
# A wrong line of the page.
sed 's/sotto_esp32_nvs.h/sotto_nvs.h/' "$door" >"$work/wrong.ino"
! sketch "$work/wrong.ino" 2>/dev/null || die 'a header that is not there is included'
! page sh 2 | sed "s,~,$work,; s,MySketch/metrics,metrics," | run_page || die 'a registry that is not there is compiled'
echo 'arduino: the sketch sealed a batch; without noise it does not'
