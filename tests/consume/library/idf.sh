#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library's folder as a component of ESP-IDF. IDF's component manager packs it. A stranger's
# project is built by a stand-in for IDF's build, and runs.
#   idf.sh PROJECT MBEDTLS_DIR NANOPB_DIR FIAT_DIR WORK_FOLDER
set -euo pipefail
project=$1 work=$5 here=$(dirname "$(realpath "$0")")
python=$("$project/tools/setup.sh" --tool python3) && "$python" -c 'import idf_component_manager, kconfiglib' 2>/dev/null || {
    echo 'skipped: idf-component-manager or kconfiglib is missing'
    exit 77
}
component=$work/door/components/sotto
die() {
    echo "idf: $*" >&2
    tail -n 30 "$work/log" >&2
    exit 1
}
pack() {
    HOME=$work IDF_TOOLS_PATH=$work PYTHONDONTWRITEBYTECODE=1 "$(dirname "$python")/compote" component pack \
        --project-dir "$component" --name sotto --dest-dir "$work/dist" >"$work/log" 2>&1
}
configured() { # SETTING…: what Kconfig makes of them
    printf '%s\n' "$@" >"$work/sdkconfig"
    "$python" - "$component/Kconfig" "$work/sdkconfig" >"$work/sdkconfig.cmake" <<'END'
import sys
import kconfiglib
kconfig = kconfiglib.Kconfig(sys.argv[1])
kconfig.load_config(sys.argv[2])
assert kconfig.unique_defined_syms
for symbol in kconfig.unique_defined_syms:
    print(f'set(CONFIG_{symbol.name} "{symbol.str_value.replace("n", "")}")')
END
}
builds() {
    IDF_PATH=$here/idf_tree cmake -G Ninja -S "$work/door" -B "$work/build" -DIDF_FAKES="$here/fake" \
        -DCMAKE_BUILD_TYPE=None -DSDKCONFIG_CMAKE="$work/sdkconfig.cmake" >"$work/log" 2>&1 &&
        cmake --build "$work/build" >>"$work/log" 2>&1
}

rm -rf "$work"
mkdir -p "$work/door"
cp -R "$here/idf/." "$work/door/"
page() { "$here/../page.sh" "$project/docs/routes/esp-idf.md" "$@"; }
ln -s "$project" "$work/door/sotto"
page sh | sed "s,write_library.py out,& --mbedtls $2 --nanopb $3 --fiat $4," >"$work/page.sh"
(cd "$work/door" && sh -e "$work/page.sh") >"$work/log" 2>&1 || die "the page's commands fail"
page cmake >"$work/door/main/CMakeLists.txt"
cp "$component/examples/Door/"{metrics.toml,aggregator.pub} "$work/door/main/"

pack || die 'the component manager refuses the component'
tar -tzf "$work"/dist/sotto_*.tgz >"$work/list"
grep -q 'src/sotto_private/sotto/sdk/src/client/client.cpp' "$work/list" || die 'no source in the package'
cp "$component/idf_component.yml" "$work/kept"
sed -i 's/^version:.*/version: first/' "$component/idf_component.yml"
! pack || die 'a version without numbers is let through'
cp "$work/kept" "$component/idf_component.yml"

configured && builds || die 'it is not built'
said=$("$work/build/door.elf")
[[ $said =~ ^sealed\ batch:\ [0-9]+\ bytes$ ]] || die "it says: $said"

# Without its storage the program does not link.
configured CONFIG_SOTTO_NVS=n && ! builds || die 'CONFIG_SOTTO_NVS is not looked at'
grep -q 'undefined reference to .sotto_esp32_nvs_load' "$work/log" || die 'another fault than the storage'
configured
sed -i 's/REQUIRES nvs_flash/REQUIRES nvs_flesh/' "$component/CMakeLists.txt"
! builds || die 'a component that there is not'
grep -q "Failed to resolve component 'nvs_flesh'" "$work/log" || die 'another fault than nvs_flesh'
# A wrong line of the page.
sed -i 's/nvs_flesh/nvs_flash/' "$component/CMakeLists.txt"
page cmake | sed 's/REQUIRES sotto /REQUIRES /' >"$work/door/main/CMakeLists.txt"
! builds || die 'a wrong page is followed'
echo "idf: $said in the stand-in; four planted faults were seen"
