#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A stranger's program for a Pico and a Pico 2, built with a stand-in for pico-sdk, runs on the host.
#   run.sh PROJECT WORK_FOLDER
set -euo pipefail
project=$1 work=$2 here=$(dirname "$(realpath "$0")")
die() {
    echo "pico: $*" >&2
    tail -n 20 "$work/log" >&2
    exit 1
}
follow() { # PAGE PLATFORM: its lines in CMakeLists.txt and main.c
    "$here/../page.sh" "$1" cmake | sed "s/port_rp2040/port_$2/" >"$work/door/page.cmake"
    "$here/../page.sh" "$1" c | sed "s/sotto_rp2040/sotto_$2/" >"$work/port.c"
    sed -e "/^static uint8_t unit/,/^#endif/{/^#endif/r $work/port.c" -e 'd}' "$here/door/main.c" \
        >"$work/door/main.c"
}
builds() { # PLATFORM
    cmake -G Ninja -S "$work/door" -B "$work/build" -DPICO_PLATFORM="$1" -DSOTTO="${sotto:-$project}" \
        -DCMAKE_BUILD_TYPE=MinSizeRel >"$work/log" 2>&1 && cmake --build "$work/build" >>"$work/log" 2>&1
}
says() { (cd "$work" && build/door || true); }

rm -rf "$work"
mkdir -p "$work/door"
cp "$here"/door/* "$work/door/"
cp "$project/examples/device/keys/aggregator.pub" "$work/door/"
echo "include($here/sdk/pico_sdk_init.cmake)" >"$work/door/pico_sdk_import.cmake"
page=$project/docs/routes/pico-sdk.md
for platform in rp2040 rp2350; do
    rm -f "$work/flash"
    follow "$page" $platform
    builds $platform || die "$platform is not built"
    said=$(says)
    [[ $said =~ ^sealed\ batch:\ [0-9]+\ bytes$ ]] || die "$platform says: $said"
    cp "$work/flash" "$work/kept"
    said=$(says)
    [[ $said == *'measured in this epoch already'* ]] || die "its state is lost: $said"
    echo "$platform: sealed, and its state came back"
done

# The TRNG in reset, and flash that is written while code runs from it.
sed -i '/unreset_block_wait/d' "$work/door/main.c"
builds rp2350 || die 'it is not built without a reset'
said=$(says)
[[ $said == sotto:* ]] || die "a TRNG in reset: $said"
mkdir "$work/sotto"
for part in CMakeLists.txt cmake sdk tools; do ln -s "$project/$part" "$work/sotto/$part"; done
cp -R "$project/ports" "$work/sotto/"
sed -i 's/return flash_safe_execute(function, parameter, OTHER_CORE_WAIT_MS)/function(parameter); return 0/' \
    "$work/sotto/ports/storage/sotto_pico_flash.c"
follow "$page" rp2350
rm "$work/flash"
sotto=$work/sotto builds rp2350 || die 'it is not built with a planted fault'
said=$(says)
[[ $said == 'flash is written while code runs from it' ]] || die "an unsafe driver: $said"
# A wrong line of the page.
for fault in s/sotto::storage_pico/sotto::storage/ s/SOTTO_PICO_FLASH_UNIT/SOTTO_FLASH_UNIT/; do
    sed "$fault" "$page" >"$work/page.md"
    follow "$work/page.md" rp2350
    ! builds rp2350 || die "a wrong page is followed: $fault"
done
echo 'pico: four planted faults were seen'
