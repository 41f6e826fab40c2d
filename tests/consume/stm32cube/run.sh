#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A stranger's project as CubeMX writes it, with a stand-in for the HAL, runs on the host.
#   run.sh PROJECT WORK_FOLDER
set -euo pipefail
project=$1 work=$2 here=$(dirname "$(realpath "$0")")
die() {
    echo "stm32cube: $*" >&2
    tail -n 20 "$work/log" >&2
    exit 1
}
follow() { "$here/../page.sh" "$1" cmake >"$work/door/page.cmake"; } # PAGE
builds() {
    cmake -G Ninja -S "$work/door" -B "$work/build" -DSOTTO="$project" -DCMAKE_BUILD_TYPE=MinSizeRel \
        >"$work/log" 2>&1 && cmake --build "$work/build" >>"$work/log" 2>&1
}
says() { (cd "$work" && build/door || true); }

rm -rf "$work"
mkdir -p "$work"
cp -R "$here/door" "$work/"
cp "$project/examples/device/keys/aggregator.pub" "$work/door/"
mkdir "$work/door/cmake"
cp -R "$here/cube" "$work/door/cmake/stm32cubemx"
follow "$project/docs/routes/stm32cube.md"
builds || die 'it is not built'
said=$(says)
[[ $said =~ ^sealed\ batch:\ [0-9]+\ bytes$ ]] || die "it says: $said"
said=$(says)
[[ $said == *'measured in this epoch already'* ]] || die "its state is lost: $said"

# A peripheral that nobody switched on, and flash that stays locked.
sed -i 's/^    __HAL_RNG_ENABLE(hrng);$//' "$work/door/cmake/stm32cubemx/hal.c"
sed -i 's/^#define __HAL_RNG_ENABLE(handle).*/#define __HAL_RNG_ENABLE(handle) ((void)0)/' \
    "$work/door/cmake/stm32cubemx/main.h"
builds || die 'it is not built without the RNG'
said=$(says)
[[ $said == sotto:* ]] || die "without the RNG: $said"
cp "$here"/cube/* "$work/door/cmake/stm32cubemx/"
sed -i '/^    HAL_FLASH_Unlock();$/d' "$work/door/Core/Src/main.c"
rm "$work/flash"
builds || die 'it is not built without the unlock'
said=$(says)
[[ $said == sotto:* ]] || die "with locked flash: $said"
# A wrong line of the page.
cp "$here/door/Core/Src/main.c" "$work/door/Core/Src/"
for fault in s/sotto::storage_flash/sotto::flash/ /^sotto_registry/d; do
    sed "$fault" "$project/docs/routes/stm32cube.md" >"$work/page.md"
    follow "$work/page.md"
    ! builds || die "a wrong page is followed: $fault"
done
echo 'stm32cube: sealed, its state came back, and four planted faults were seen'
