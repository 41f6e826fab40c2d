#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A firmware with two tasks of FreeRTOS, over a stand-in for the kernel, runs on the host.
#   run.sh PROJECT WORK_FOLDER
set -euo pipefail
project=$1 work=$2 here=$(dirname "$(realpath "$0")")
die() {
    echo "freertos: $*" >&2
    tail -n 20 "$work/log" >&2
    exit 1
}
page=$work/freertos.md
follow() { # PAGE: its lines in CMakeLists.txt and main.c
    "$here/../page.sh" "$1" cmake >"$work/door/page.cmake"
    "$here/../page.sh" "$1" c >"$work/c"
    sed -n 1p "$work/c" >"$work/port"
    sed 1d "$work/c" >"$work/calls"
    sed -e "/^static sotto_port port;/{r $work/port" -e 'd}' \
        -e "/port\.lock = /,/make_lock/{/make_lock/r $work/calls" -e 'd}' "$here/door/main.c" >"$work/door/main.c"
}
builds() {
    cmake -G Ninja -S "$work/door" -B "$work/build" -DSOTTO="$project" -DKERNEL="$here/kernel" \
        -DCMAKE_BUILD_TYPE=MinSizeRel >"$work/log" 2>&1 && cmake --build "$work/build" --target door >>"$work/log" 2>&1
}
says() { (cd "$work" && rm -rf door_state && mkdir door_state && timeout 60 build/door || true); }

rm -rf "$work"
mkdir -p "$work"
cp -R "$here/door" "$work/"
follow "$project/docs/routes/freertos.md"
builds || die 'it is not built'
said=$(says)
[ "$said" = '10 days are measured and sent' ] || die "it says: $said"

# Without the lock one task meets the other in the middle of a call.
sed -i '/port\.lock = /s/=.*/= NULL;/; /port\.unlock = /s/=.*/= NULL;/' "$work/door/main.c"
builds || die 'it is not built without the lock'
said=$(says)
[[ $said == *': '* ]] || die "without the lock it says: $said"
# A lock that nobody made is an error, not an open door.
follow "$project/docs/routes/freertos.md"
sed -i '/sotto_freertos_make_lock();/d' "$work/door/main.c"
builds || die 'it is not built without making the lock'
said=$(says)
[[ $said == *': '* ]] || die "without making the lock it says: $said"
# A wrong line of the page.
for fault in 's/sotto::port_freertos/sotto::port_rtos/' 's/sotto_freertos_unlock;/sotto_free_unlock;/'; do
    sed "$fault" "$project/docs/routes/freertos.md" >"$page"
    follow "$page"
    ! builds || die "a wrong page is followed: $fault"
done
