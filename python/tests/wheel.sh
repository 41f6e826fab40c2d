#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel as `pip install ./python` does, and installs it: alone in a fresh virtual
# environment, and for other checks. In place of a network it has tools/python-analysis.txt.
#   wheel.sh PROJECT WORK_FOLDER    WORK_FOLDER/site has it, WORK_FOLDER/build what a next run needs
set -euo pipefail
project=$(realpath "$1") work=$(realpath -m "$2")
python=$("$project/tools/setup.sh" --analysis python3) || {
    echo 'skipped: the packages of tools/python-analysis.txt are missing'
    exit 77
}
fail() {
    echo "wheel: $*" >&2
    exit 1
}
mkdir -p "$work"
rm -rf "$work/wheels" "$work/site" "$work/fresh"
pip=("$python" -m pip --disable-pip-version-check --quiet)
CMAKE_BUILD_PARALLEL_LEVEL=2 "${pip[@]}" wheel --no-build-isolation --no-deps --no-index \
    --wheel-dir "$work/wheels" -C build-dir="$work/build" -C cmake.define.SOTTO_WERROR=ON "$project/python"
wheel=("$work"/wheels/sotto-*.whl)
"${pip[@]}" install --no-deps --no-index --target "$work/site" "${wheel[0]}"
# Types and words come along, and nothing else does.
found=$(cd "$work/site/sotto" && find . -type f ! -name '*.pyc' ! -name '_sotto.*.so' | sort | tr '\n' ' ')
[ "$found" = './__init__.py ./__main__.py ./_columns.py ./_sotto.pyi ./py.typed ./spark.py ./table.py ' ] || fail "it has $found"
# It needs no other package.
"$python" -m venv --without-pip "$work/fresh"
"${pip[@]}" --python "$work/fresh/bin/python" install --no-index "${wheel[0]}"
planned=$(cd / && "$work/fresh/bin/python" -B -c '
import sotto
print(sotto.plan("boolean", devices=100, epsilon=1)["recommended"]["mechanism"])')
[ "$planned" = randomized_response ] || fail "alone it plans $planned"
# The program and the package have one version.
version=$("$python" -c "import tomllib; print(tomllib.load(open('$project/python/pyproject.toml', 'rb'))['project']['version'])")
grep -q "^project(sotto VERSION $version " "$project/CMakeLists.txt" || fail "its version is $version"
echo "wheel: $(basename "${wheel[0]}"), $(($(stat -c %s "${wheel[0]}") / 1024)) KiB"
