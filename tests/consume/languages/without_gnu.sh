#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The device's sources have no GNU syntax without a fallback. A compiler that does not say it is GNU's
# compiles all of them; `__asm__`, `__attribute__` and their like are no words to it. The program runs
# by the fallbacks. clang, which Keil's compiler is made of, reads the sources for Cortex-M0.
#   without_gnu.sh PROJECT NANOPB_DIR FIAT_DIR MBEDTLS_DIR LIBRARIES WORK_FOLDER
set -euo pipefail
project=$1 nanopb=$2 fiat=$3 mbedtls=$4 work=$6
IFS=, read -r -a libraries <<<"$5"
die() {
    echo "without_gnu: $*" >&2
    exit 1
}
listed() { sed -n "s,^$1 SOTTO_DIR,$project,p" "$project/sdk/sources.txt"; }
headers=$(g++ -print-file-name=include)
strict=(-std=c++17 -pedantic-errors -Os -w -ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics
    -nostdinc -nostdinc++ -isystem "$headers" -isystem "$project/tests/proof/libc" -isystem "$work/libc")
hidden=(-D_GCC_MAX_ALIGN_T -U__GNUC__ -U__GNUC_MINOR__ -U__GNUG__ -D__asm__=sotto_gnu_only -D__asm=sotto_gnu_only
    -Dasm=sotto_gnu_only -D__attribute__=sotto_gnu_only -D__extension__=sotto_gnu_only
    -D__typeof__=sotto_gnu_only -D__builtin_frame_address=sotto_gnu_only -D__alignof__=sotto_gnu_only)
ours=(-I"$project/sdk/include" -I"$project/sdk/src" -I"$project/sdk/proto")
libraries_used=(-I"$fiat" -I"$mbedtls/include" -I"$nanopb"
    "-DMBEDTLS_CONFIG_FILE=\"$project/sdk/src/crypto/mbedtls_config.h\"" -DPB_NO_ERRMSG -DPB_BUFFER_ONLY
    "-DPB_SYSTEM_HEADER=\"$project/sdk/proto/nanopb_config.h\"")

rm -rf "$work"
mkdir -p "$work/objects" "$work/planted/random" "$work/c99_state" "$work/libc"
touch "$work/libc/limits.h" # the compiler's own goes on to the C library's
compiles() { # SOURCE…: into $work/objects
    printf '%s\0' "$@" | xargs -0 -P2 -I{} sh -c '"$@" -c "$0" -o "'"$work"'/objects/$(basename "$0").o"' {} \
        g++ "${strict[@]}" "${hidden[@]}" "${before[@]}" "${ours[@]}" "${libraries_used[@]}" >"$work/log" 2>&1
}
before=()
mapfile -t core < <(listed CORE_SOURCES)
mapfile -t sdk < <(listed SDK_SOURCES_MBEDTLS)
[ ${#core[@]} -gt 10 ] && [ ${#sdk[@]} -gt 40 ] || die 'sdk/sources.txt names too few sources'
compiles "${core[@]}" "${sdk[@]}" "$project/sdk/src/crypto/wipe_psa.cpp" || {
    head -n 20 "$work/log" >&2
    die 'a source needs a GNU compiler'
}
rm "$work/objects/wipe_psa.cpp.o"
"$project/tools/sotto-registry" compile "$project/tests/metrics.toml" --out "$work" >/dev/null
gcc -std=c99 -I"$work" -I"$project/sdk/include" -I"$project/ports/posix" "$project/tests/consume/c99.c" \
    "$work/metrics.c" "$work"/objects/*.o -Wl,--start-group "${libraries[@]}" -Wl,--end-group -o "$work/program"
said=$(cd "$work" && ./program)
[ "$said" = 'done, 42 bytes' ] || die "the program says: $said"

# Each guard of a GNU word, taken away, is seen.
for guarded in random/fixed_time.hpp crypto/wipe_psa.cpp; do
    mkdir -p "$work/planted/$(dirname "$guarded")"
    sed 's/^#if defined(__GNUC__)$/#if 1/' "$project/sdk/src/$guarded" >"$work/planted/$guarded"
done
before=(-I"$work/planted")
! compiles "$project/sdk/src/random/bernoulli.cpp" || die 'GNU syntax in a header is not seen'
! compiles "$work/planted/crypto/wipe_psa.cpp" || die 'GNU syntax in a source is not seen'

if command -v clang++-14 >/dev/null; then
    for source in "${core[@]}" "${sdk[@]}"; do
        clang++-14 --target=thumbv6m-none-eabi "${strict[@]/$headers/$(clang-14 -print-resource-dir)/include}" \
            -fsyntax-only "${ours[@]}" "${libraries_used[@]}" "$source" >"$work/log" 2>&1 || {
            head -n 20 "$work/log" >&2
            die "clang for Cortex-M0 refuses ${source##*/}"
        }
    done
    echo "without_gnu: clang read ${#core[@]} and ${#sdk[@]} sources for Cortex-M0"
fi
echo "without_gnu: ${#core[@]} and ${#sdk[@]} sources compiled; $said"
