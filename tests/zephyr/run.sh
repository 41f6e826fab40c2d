#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The module and its sample in a stand-in for Zephyr. The sample runs, and each fault that the
# module keeps away is seen where it is planted.
#   run.sh PROJECT WORK_FOLDER MBEDTLS NANOPB
set -euo pipefail
project=$1 work=$2 mbedtls=$3 nanopb=$4
tree=$project/tests/zephyr/tree
python=$("$project/tools/setup.sh" --tool python3) || {
    echo 'skipped: kconfiglib is missing'
    exit 77
}
fail() {
    echo "zephyr: $*" >&2
    tail -n 30 "$work/log" >&2
    exit 1
}
rm -rf "$work"
mkdir -p "$work/module" "$work/fake"
ln -s "$project/tests/ports/fake/zephyr" "$work/fake/zephyr" # without its psa/crypto.h
for part in cmake examples sdk tools zephyr; do ln -s "$project/$part" "$work/module/$part"; done
fresh() {
    rm -rf "$work/module/ports"
    mkdir "$work/module/ports"
    cp -R "$project/ports/zephyr" "$project/ports/storage" "$work/module/ports/"
}
configure() { # SETTING…
    printf '%s\n' "$@" >"$work/extra.conf"
    ZEPHYR_BASE=$tree cmake -G Ninja -S "$sample" -B "$folder" \
        -DCMAKE_BUILD_TYPE=None "${extra[@]}" \
        -DEXTRA_CONF_FILE="$work/extra.conf" -DZEPHYR_KCONFIG_PYTHON="$python" \
        -DMBEDTLS="$mbedtls" -DNANOPB="$nanopb" \
        "-DZEPHYR_FAKES=$work/fake;$project/tests/storage/fake" >"$work/log" 2>&1
}
build() { cmake --build "$folder" >"$work/log" 2>&1; }

kconfig() { # KCONFIG CONF SETTING…: $work/kconfig/.config
    printf '%s\n' "${@:3}" >"$work/extra.conf"
    "$python" "$tree/kconfig.py" "$tree/$1" "$work/module/ports/zephyr/Kconfig" "$work/kconfig" \
        "$2" "$work/extra.conf" >"$work/log" 2>&1
}
selected() { for name in "$@"; do grep -qx "CONFIG_$name=y" "$work/kconfig/.config" || return 1; done; }
says() { tr -s ' \n' ' ' <"$work/log" | grep -qF "$1"; } # CMake breaks lines
run() { said=$("$folder/zephyr/zephyr.elf"); }

# The page's commands: west, and a firmware's own folder.
page() { "$project/tests/consume/page.sh" "$project/docs/routes/zephyr.md" "$@" | sed "s,SOTTO,$work/module,g"; }
west() { # build -b BOARD FOLDER -- OPTION…
    [ "$1 $2 $5" = 'build -b --' ] || fail "west: $*"
    sample=$4 folder=$work/build extra=("${@:6}")
}
application() { # EDIT of the page's CMakeLists.txt
    page cmake | sed "$1" >"$work/app/CMakeLists.txt"
    sample=$work/app folder=$work/app/build extra=()
}
fresh
eval "$(page sh 1)"
configure || fail 'it is not configured'
! says 'CMake Warning' || fail 'CMake warns'
build || fail 'it is not built'
run || fail "the sample says: $said"
[[ $said =~ ^sealed\ batch:\ [0-9]+\ bytes$ ]] || fail "the sample says: $said"

# An application by the page's files and lines, which has the module by its own CMakeLists.txt.
mkdir "$work/app"
page sh 2 >"$work/page.sh"
(cd "$work/app" && sh -e "$work/page.sh") || fail "the page's commands"
application ''
configure && build && run || fail 'the application of the page is not built'
[[ $said =~ ^sealed\ batch:\ [0-9]+\ bytes$ ]] || fail "the application says: $said"
rm -r "$folder"
application /ZEPHYR_EXTRA_MODULES/d
! configure || fail 'a wrong page is followed'
eval "$(page sh 1)"

# A target of nanopb's name is not there: it is modules__nanopb.
sed -i 's/^zephyr_library_link_libraries_ifdef(CONFIG_MBEDTLS mbedTLS)/zephyr_library_link_libraries(mbedTLS nanopb)/' \
    "$work/module/ports/zephyr/CMakeLists.txt"
! build || fail 'nanopb is linked'
says 'cannot find -lnanopb' || fail 'another fault than nanopb'

fresh
! configure CONFIG_MBEDTLS_HEAP_SIZE=512 || fail 'a heap of 512 bytes is let through'
says 'CONFIG_MBEDTLS_HEAP_SIZE is 512; CONFIG_SOTTO needs 4096 or more' || fail 'the heap is not named'
configure CONFIG_MAIN_STACK_SIZE=1024 || fail 'a small stack of main is refused'
says 'CONFIG_MAIN_STACK_SIZE is 1024; a thread that calls Sotto needs 4096 or more' ||
    fail 'the stack is not named'

# Each select has its dependencies, whoever implements PSA.
conf=$project/zephyr/samples/door/prj.conf
echo CONFIG_SOTTO=y >"$work/sotto.conf"
kconfig Kconfig "$conf" CONFIG_SOTTO_REQUESTS=y && selected SOTTO_PORT SOTTO_STORAGE \
    PSA_WANT_ALG_ECDSA PSA_WANT_ECC_SECP_R1_256 PSA_WANT_KEY_TYPE_ECC_PUBLIC_KEY || fail 'requests'
kconfig Kconfig.4.3 "$conf" && selected PSA_CRYPTO_PROVIDER_MBEDTLS || fail 'PSA_CRYPTO'
for version in Kconfig Kconfig.4.3; do
    kconfig $version "$work/sotto.conf" CONFIG_BUILD_WITH_TFM=y && selected PSA_WANT_ALG_ECDH &&
        ! selected MBEDTLS_PSA_CRYPTO_C || fail "TF-M, $version"
done

sed -i '/select PSA_WANT_ALG_ECDH$/d' "$work/module/ports/zephyr/Kconfig"
configure && build || fail 'without ECDH it is not built'
! run || fail "without ECDH it says: $said"
[[ $said == 'sotto: '*'no PSA_ALG_ECDH on Curve25519'* ]] || fail "without ECDH it says: $said"
echo 'zephyr: sealed in the stand-in, and every planted fault was seen'
